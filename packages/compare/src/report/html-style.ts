// The looks of what only this report has: every table is a list on a phone.

export const css: string = `
.legend,.endpoint{color:var(--soft);margin:.25rem 0 1rem}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
.line{display:inline-block;width:2rem;border-top:2px solid var(--accent);vertical-align:middle}.dashed{border-top-style:dashed}
.bar{display:block;height:3px;margin-top:.3rem;background:var(--accent);opacity:.55;border-radius:2px}
#recommendation ul{list-style:none;padding:0}
#recommendation li{border-left:3px solid var(--line);padding:.25rem 0 .25rem .9rem;margin:.6rem 0}
#recommendation li:has(strong){border-color:var(--accent)}
thead td{width:8.5rem}
tbody th,thead td{padding-left:0}
tbody th{color:var(--soft)}
.matrix td{font-size:1.05rem}
.wide{overflow-x:auto}
.wide+h3{margin-top:1.5rem}
table{min-width:calc(6.5rem + var(--columns)*5.5rem)}
tbody th{position:sticky;left:0;background:var(--paper)}
article{border-top:1px solid var(--line);padding:1.5rem 0}
.evidence,.sequence ol{list-style:none;padding:0;margin:0}
.proof{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;color:var(--soft)}
.sequence{max-width:48rem;padding:0 .5rem;position:relative}
.ends{display:flex;justify-content:space-between;padding-bottom:.25rem}
.sequence li{margin:0}
.part,.arrow{border:solid var(--line);border-width:0 2px;padding:.35rem 0}
.part{color:var(--soft);font-size:.8rem;text-align:center;text-transform:uppercase;letter-spacing:.05em;padding-top:.9rem}
.label{padding:0 .75rem;font-size:.85rem}
.label a{color:var(--soft);text-decoration:none}
.label a:hover{text-decoration:underline}
.server .label{text-align:right}
.shaft{height:0;border-top:2px solid var(--accent);position:relative;margin:.2rem 2px}
.server .shaft{border-top-style:dashed}
.shaft::after{content:"";position:absolute;top:-6px;border:5px solid transparent}
.client .shaft::after{right:-1px;border-left:8px solid var(--accent);border-right:0}
.server .shaft::after{left:-1px;border-right:8px solid var(--accent);border-left:0}
details>div:target{outline:2px solid var(--accent);outline-offset:2px;border-radius:.4rem}
.answer{border-left:3px solid var(--accent)}
@media (max-width:60rem){
table{font-size:.75rem}
thead td{width:6.5rem}
th,td{padding:.4rem .25rem}
td .w{white-space:normal}
}
@media (max-width:40rem){
table{font-size:.85rem;min-width:0}
tbody th{position:static}
.costs thead{display:none}
.costs,.costs tbody,.costs tr,.costs td,.costs tbody th{display:block;width:100%}
.costs tr{border-bottom:1px solid var(--line);padding:.6rem 0}
.costs th,.costs td{border:0;padding:.15rem 0}
.costs tbody th{color:var(--ink);font-weight:600;font-size:.95rem}
.costs td{display:grid;grid-template-columns:minmax(0,max(8rem,38%)) minmax(0,1fr);gap:.75rem}
.costs td::before{content:attr(data-transport);color:var(--soft)}
.matrix{width:auto;min-width:min(100%,26rem);table-layout:auto}
.matrix thead th{vertical-align:bottom;padding:.25rem 0;width:2.1rem}
.matrix thead a{writing-mode:vertical-rl;transform:rotate(180deg);max-height:13rem;line-height:1.2;text-decoration:none;font-weight:400;margin:0 auto;display:block}
.matrix td{text-align:center;padding:.4rem 0}
.matrix tbody th{padding:.5rem .5rem .5rem 0;color:var(--ink)}
}
@media print{
td .w{white-space:normal}
.wide{overflow:visible}
table{font-size:7pt;min-width:0}thead td{width:5.5rem}
tr,.arrow,#recommendation li,.evidence li{break-inside:avoid}
details{break-inside:avoid}
.bar,.line,.shaft{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
`;
