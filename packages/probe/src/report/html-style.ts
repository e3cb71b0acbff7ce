// The looks of what only reports of the probe have: every table is a list on a phone.

export const probeCss: string = `
article h3{margin:1.75rem 0 .5rem}
.stateful{color:var(--accent);font-weight:700}
.advice ul{list-style:none;padding:0}
.advice li{border-left:3px solid var(--accent);padding:.25rem 0 .25rem .9rem;margin:.6rem 0}
tbody th{font-weight:600;padding-left:0}
thead th:first-child{padding-left:0;width:24%}
.summary th:last-child{width:34%}
.reasons{margin-top:.75rem;font-size:.9rem}
.facts{margin:0;font-size:.95rem}
.facts>div{display:grid;grid-template-columns:9rem minmax(0,1fr);gap:.25rem 1rem;padding:.45rem 0;border-bottom:1px solid var(--line)}
dt{color:var(--soft)}dd{margin:0}
.steps{list-style:none;padding:0;margin:0}.steps li{margin:0}
.steps summary{display:grid;grid-template-columns:1rem 2.2rem minmax(0,1fr) minmax(0,14rem) 4.5rem;gap:.5rem;align-items:baseline}
.steps summary::before{content:"›";color:var(--soft)}.steps details[open] summary::before{rotate:90deg}
.steps summary::-webkit-details-marker{display:none}
.number{color:var(--soft)}.what{font-weight:600}.steps small{text-align:right}
.answer{border-left:3px solid var(--accent)}
details>div:target{outline:2px solid var(--accent);outline-offset:2px;border-radius:.4rem}
.caution{margin-top:2.5rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--soft);font-size:.9rem;max-width:60rem}
@media (max-width:40rem){
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,tbody,tr,td,tbody th{display:block;width:100%}
tr{border-bottom:1px solid var(--line);padding:.5rem 0}
th,td{border:0;padding:.15rem 0}
td{display:grid;grid-template-columns:7rem minmax(0,1fr);gap:.75rem}
td::before{content:attr(data-label);color:var(--soft)}
.facts>div{grid-template-columns:1fr}
.steps summary{grid-template-columns:1rem 2rem minmax(0,1fr) auto}
.said{grid-column:3/4}
}
@media print{
.steps details{break-inside:avoid}
.advice li,.facts>div{break-inside:avoid}
}
`;
