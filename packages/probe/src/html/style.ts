// The looks that all HTML reports share: two columns of ink and one accent.

export const baseCss: string = `
:root{--ink:#1c2430;--soft:#5b6675;--line:#d9dee5;--paper:#fff;--tint:#f4f6f9;--accent:#2457c5;--yes:#12753a;--no:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--soft:#9aa5b4;--line:#333b47;--paper:#14181e;--tint:#1c222b;--accent:#8ab0ff;--yes:#63cf8e;--no:#ff8a80}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:76rem;padding:2rem 1.25rem 4rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.9rem;line-height:1.25;margin:0 0 .5rem;max-width:60rem;text-wrap:pretty}
.brand{margin:0 0 1.25rem;color:var(--soft)}.brand b{color:var(--accent);margin-right:.5rem;letter-spacing:.02em}
h2{font-size:1.3rem;margin:2.5rem 0 .75rem}
h3{font-size:1.1rem;margin:0 0 .25rem}
h4{font-size:.95rem;margin:1.5rem 0 .5rem}
table+h3,ul+h3,details+h3{margin-top:1.5rem}
header p:last-child{max-width:60rem;font-size:.9rem;color:var(--soft);margin:.25rem 0 1rem}
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
.w{white-space:nowrap}
.spoken{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table{font-variant-numeric:tabular-nums;width:100%;border-collapse:collapse;table-layout:fixed;font-size:.85rem}
th,td{text-align:left;vertical-align:top;padding:.5rem .35rem;border-bottom:1px solid var(--line);font-weight:400}
thead th{font-weight:600}
.note{border-left:3px solid var(--no);padding-left:.75rem}
details{border-bottom:1px solid var(--line)}
summary{cursor:pointer;padding:.45rem 0;font-size:.9rem}
pre{margin:0 0 .6rem;padding:.75rem;background:var(--tint);border-radius:.4rem;white-space:pre-wrap;overflow-wrap:anywhere}
@media (max-width:60rem){
body{padding:1.5rem 1.25rem 3rem}
h1{font-size:1.5rem}
}
@media (max-width:40rem){
body{padding:1.25rem 1rem 3rem}
h1{font-size:1.35rem}
}
@media print{
@page{size:A4;margin:14mm 12mm}
:root{--ink:#000;--soft:#444;--line:#bbb;--paper:#fff;--tint:#f3f3f3;--accent:#2457c5;--yes:#0b5a2b;--no:#9c1c15}
body{max-width:none;padding:0;font-size:10pt}
h1{font-size:17pt}h2{font-size:13pt;break-after:avoid}h3,h4{break-after:avoid}
nav{display:none}
a{text-decoration:none}
tr,details{break-inside:avoid}
thead{display:table-header-group}
}
`;
