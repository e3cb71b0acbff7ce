// The looks of the HTML report: two columns of ink, one accent, and every table a list on a phone.

export const css: string = `
:root{--ink:#1c2430;--soft:#5b6675;--line:#d9dee5;--paper:#fff;--tint:#f4f6f9;--accent:#2457c5;--yes:#12753a;--no:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#9aa5b4;--line:#333b47;--paper:#14181e;--tint:#1c222b;--accent:#8ab0ff;--yes:#63cf8e;--no:#ff8a80}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:76rem;padding:2rem 1.25rem 4rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.9rem;line-height:1.25;margin:0 0 .5rem;max-width:60rem;text-wrap:pretty}
.brand{margin:0 0 1.25rem;color:var(--soft)}.brand b{color:var(--accent);margin-right:.5rem;letter-spacing:.02em}
h2{font-size:1.3rem;margin:2.5rem 0 .75rem}
h3{font-size:1.1rem;margin:0 0 .25rem}
table+h3,ul+h3,details+h3{margin-top:1.5rem}
h4{font-size:.95rem;margin:1.5rem 0 .5rem}
header p:last-child{max-width:60rem;font-size:.9rem}
header p:last-child,.legend,.endpoint{color:var(--soft);margin:.25rem 0 1rem}
a{color:inherit;text-decoration-color:var(--accent);text-underline-offset:.2em}
a:focus-visible,summary:focus-visible,.wide:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:.15rem}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.35rem 1.1rem;padding:.6rem 0;margin:0;border:solid var(--line);border-width:1px 0;font-size:.9rem}
nav li{margin:0}
[id]{scroll-margin-top:1rem}
ul{margin:.25rem 0;padding-left:1.2rem}
li{margin:.25rem 0}
code,pre{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{background:var(--tint);padding:.1em .3em;border-radius:.25rem}
small{white-space:nowrap;color:var(--soft);font-size:.8rem;font-weight:400}
.yes{color:var(--yes);font-weight:700}.no{color:var(--no);font-weight:700}.off{color:var(--soft)}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
.line{display:inline-block;width:2rem;border-top:2px solid var(--accent);vertical-align:middle}.dashed{border-top-style:dashed}
.w{white-space:nowrap}
.bar{display:block;height:3px;margin-top:.3rem;background:var(--accent);opacity:.55;border-radius:2px}
.spoken{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
#recommendation ul{list-style:none;padding:0}
#recommendation li{border-left:3px solid var(--line);padding:.25rem 0 .25rem .9rem;margin:.6rem 0}
#recommendation li:has(strong){border-color:var(--accent)}
table{font-variant-numeric:tabular-nums;width:100%;border-collapse:collapse;table-layout:fixed;font-size:.85rem}
th,td{text-align:left;vertical-align:top;padding:.5rem .35rem;border-bottom:1px solid var(--line);font-weight:400}
thead th{font-weight:600}
thead td{width:8.5rem}
tbody th,thead td{padding-left:0}
tbody th{color:var(--soft)}
.matrix td{font-size:1.05rem}
.wide{overflow-x:auto}
table{min-width:calc(6.5rem + var(--columns)*5.5rem)}
tbody th{position:sticky;left:0;background:var(--paper)}
article{border-top:1px solid var(--line);padding:1.5rem 0}
.evidence,.sequence ol{list-style:none;padding:0;margin:0}
.proof{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;color:var(--soft)}
.note{border-left:3px solid var(--no);padding-left:.75rem}
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
details{border-bottom:1px solid var(--line)}
summary{cursor:pointer;padding:.45rem 0;font-size:.9rem}
pre{margin:0 0 .6rem;padding:.75rem;background:var(--tint);border-radius:.4rem;white-space:pre-wrap;overflow-wrap:anywhere}
details>div:target{outline:2px solid var(--accent);outline-offset:2px;border-radius:.4rem}
.answer{border-left:3px solid var(--accent)}
@media (max-width:60rem){
body{padding:1.5rem 1.25rem 3rem}
h1{font-size:1.5rem}
table{font-size:.75rem}
thead td{width:6.5rem}
th,td{padding:.4rem .25rem}
td .w{white-space:normal}
}
@media (max-width:40rem){
body{padding:1.25rem 1rem 3rem}
table{font-size:.85rem;min-width:0}
tbody th{position:static}
h1{font-size:1.35rem}
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
@page{size:A4;margin:14mm 12mm}
:root{--ink:#000;--soft:#444;--line:#bbb;--paper:#fff;--tint:#f3f3f3;--accent:#2457c5;--yes:#0b5a2b;--no:#9c1c15}
body{max-width:none;padding:0;font-size:10pt}
h1{font-size:17pt}h2{font-size:13pt;break-after:avoid}h3,h4{break-after:avoid}
nav{display:none}
a{text-decoration:none}
td .w{white-space:normal}
.wide{overflow:visible}
table{font-size:7pt;min-width:0}thead td{width:5.5rem}
tr,.arrow,#recommendation li,.evidence li{break-inside:avoid}
thead{display:table-header-group}
details{break-inside:avoid}
.bar,.line,.shaft{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
`;
