/** Where the console serves its font. Without a built console, the system's font is used. */
export const pageFontPath = "/fonts/inter.woff2";

/** The style of our pages. Colours, fonts and sizes are the tokens of the console, under the same names. */
export const pageStyle = `
/* optional: the text never changes its font while somebody reads it. */
@font-face { font-family: "Inter Variable"; font-weight: 100 900; font-display: optional; src: url("${pageFontPath}") format("woff2"); }
:root {
  color-scheme: light dark;
  --canvas: light-dark(#f4f5f7, #0c0d10);
  --surface: light-dark(#ffffff, #131518);
  --sunken: light-dark(#f7f8f9, #0f1113);
  --hover: light-dark(#eff1f3, #1b1e21);
  --line: light-dark(#e3e5e8, #24272b);
  --line-strong: light-dark(#d2d4d8, #353a3f);
  --control: light-dark(#878d94, #666c74);
  --text: light-dark(#161a1e, #eff0f2);
  --text-2: light-dark(#4a4f55, #b1b4b9);
  --text-3: light-dark(#646970, #90949a);
  --ink: light-dark(#161a1e, #eff0f2);
  --ink-hover: light-dark(#31363c, #d2d4d8);
  --on-ink: light-dark(#ffffff, #0d0e11);
  --live: light-dark(#0056c5, #86b6fd);
  --live-tint: light-dark(#eaf3ff, #122239);
  --focus: light-dark(#1874ed, #5598f9);
  --ok: light-dark(#12673c, #6ad895);
  --ok-solid: light-dark(#0f9958, #35c177);
  --ok-tint: light-dark(#edfbf1, #112518);
  --ok-edge: light-dark(#bce7ca, #1c442c);
  --care: light-dark(#865403, #ffb75d);
  --care-tint: light-dark(#fff6e9, #271c10);
  --care-edge: light-dark(#fdd7ac, #4d3518);
  --bad: light-dark(#b91b25, #fb9088);
  --bad-solid: light-dark(#e43037, #f5605b);
  --bad-tint: light-dark(#fff2f1, #321816);
  --bad-edge: light-dark(#fdcdc9, #672c29);
  --sans: "Inter Variable", "Inter", ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  --mono: "JetBrains Mono Variable", "JetBrains Mono", ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  --control-m: 40px;
}
@media (pointer: coarse) { :root { --control-m: 44px; } }
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; background: var(--canvas); }
body { margin: 0; min-height: 100vh; display: grid; grid-template-rows: auto 1fr auto; color: var(--text-2); font: 400 14px/22px var(--sans);
  -webkit-font-smoothing: antialiased; overflow-wrap: anywhere; }
h1, h2, p, dl, dd, pre, ul, ol { margin: 0; padding: 0; }
a { color: var(--live); text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
h1:focus { outline: none; }
.top, .foot { display: flex; align-items: center; gap: 8px; padding: 20px 24px; font-size: 13px; line-height: 20px; color: var(--text-3); }
.foot { font-size: 12px; line-height: 16px; flex-wrap: wrap; gap: 4px 16px; }
.foot a { color: inherit; }
.brand { display: inline-flex; align-items: center; gap: 8px; min-height: 24px; color: var(--text); font-weight: 600; text-decoration: none; }
.mark { width: 22px; height: 22px; display: block; }
.mark .box { fill: var(--ink); } .mark .off { fill: var(--on-ink); opacity: .28; } .mark .on { fill: var(--ok-solid); }
main { width: 100%; max-width: 480px; margin: 24px auto 12vh; align-self: center; padding: 32px; background: var(--surface); border-radius: 14px;
  box-shadow: 0 0 0 1px var(--line), 0 1px 2px light-dark(rgb(16 20 26 / .06), rgb(0 0 0 / .4)); }
main.wide { max-width: 720px; }
h1 { font: 600 22px/30px var(--sans); letter-spacing: -.016em; color: var(--text); text-wrap: balance; }
h2 { font: 600 14px/22px var(--sans); color: var(--text); }
#view { display: grid; gap: 16px; }
#view > *, form > *, .stack > * { min-width: 0; }
p { text-wrap: pretty; }
h1 + p { margin-top: -8px; }
b, strong { font-weight: 600; color: var(--text); }
.state { display: inline-flex; align-items: center; gap: 6px; justify-self: start; height: 26px; padding: 0 10px 0 7px; border-radius: 999px;
  font-weight: 500; font-size: 12px; line-height: 16px; }
.state svg { width: 16px; height: 16px; stroke: currentColor; stroke-width: 1.75; fill: none; stroke-linecap: round; stroke-linejoin: round; flex: none; }
.state.ok { color: var(--ok); background: var(--ok-tint); box-shadow: inset 0 0 0 1px var(--ok-edge); }
.state.care { color: var(--care); background: var(--care-tint); box-shadow: inset 0 0 0 1px var(--care-edge); }
.state.bad { color: var(--bad); background: var(--bad-tint); box-shadow: inset 0 0 0 1px var(--bad-edge); }
.facts { display: grid; padding: 4px 0; border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); font-size: 13px; line-height: 20px; }
.facts > div { display: grid; grid-template-columns: 124px minmax(0, 1fr); gap: 12px; padding: 5px 0; }
.facts dt { color: var(--text-3); }
.facts dd { color: var(--text); font-weight: 500; }
code, pre, .code { font: 400 12.5px/20px var(--mono); font-variant-ligatures: none; }
pre { padding: 12px 14px; white-space: pre-wrap; color: var(--text); background: var(--sunken); border: 1px solid var(--line); border-radius: 6px; }
pre.code { font-size: 20px; line-height: 28px; letter-spacing: .06em; text-align: center; }
form, .stack { display: grid; gap: 16px; }
.field { display: grid; gap: 6px; }
label, .label { color: var(--text); font-weight: 500; font-size: 13px; line-height: 20px; }
.hint { color: var(--text-3); font-size: 12px; line-height: 16px; }
.hint.bad { color: var(--bad); }
input { font: inherit; color: var(--text); }
input:not([type="checkbox"]) { width: 100%; height: var(--control-m); padding: 0 10px; font-size: 16px; background: var(--surface); border: 1px solid var(--control); border-radius: 6px; }
@media (min-width: 601px) { input:not([type="checkbox"]) { font-size: 14px; } }
input:not([type="checkbox"]):focus-visible { border-color: var(--focus); outline: none; box-shadow: 0 0 0 1px var(--focus), 0 0 0 4px var(--live-tint); }
select { width: 100%; height: var(--control-m); padding: 0 8px; font: inherit; font-size: 16px; color: var(--text); background: var(--surface); border: 1px solid var(--control); border-radius: 6px; }
@media (min-width: 601px) { select { font-size: 14px; } }
.check .tick { width: 20px; height: 20px; stroke: var(--ok); stroke-width: 2; fill: none; stroke-linecap: round; stroke-linejoin: round; }
input[aria-invalid="true"] { border-color: var(--bad-solid); }
.check { font-size: 13px; line-height: 20px; display: grid; grid-template-columns: 20px minmax(0, 1fr); gap: 8px; align-items: start; font-weight: 400; color: var(--text-2); }
.check input { width: 16px; height: 16px; margin: 2px 0 0 2px; accent-color: var(--ink); }
.actions { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.btn { display: inline-flex; align-items: center; justify-content: center; min-height: var(--control-m); padding: 4px 16px; font: 500 14px/20px var(--sans);
  color: var(--text); background: var(--surface); border: 1px solid var(--line-strong); border-radius: 6px; text-decoration: none; text-align: center; cursor: pointer; }
.btn:hover { background: var(--hover); }
.btn.main { color: var(--on-ink); background: var(--ink); border-color: var(--ink); }
.btn.main:hover { background: var(--ink-hover); border-color: var(--ink-hover); }
.btn.danger { color: var(--bad); }
.btn[aria-busy="true"] { opacity: .7; cursor: progress; }
.quiet { padding: 0; border: 0; background: none; font: inherit; color: var(--live); text-decoration: underline; text-underline-offset: 3px; cursor: pointer; min-height: 24px; }
.aside { font-size: 13px; line-height: 20px; color: var(--text-3); }
.who { padding: 10px 14px; background: var(--sunken); border: 1px solid var(--line); border-radius: 6px; font-size: 13px; line-height: 20px; }
hr { width: 100%; margin: 0; border: 0; border-top: 1px solid var(--line); }
#say:not(:empty) { padding: 10px 14px; font-size: 13px; line-height: 20px; color: var(--bad); background: var(--bad-tint); border: 1px solid var(--bad-edge); border-radius: 6px; }
#view + #say:not(:empty) { margin-top: 16px; }
#say:empty { position: absolute; }
#say.quietly:not(:empty) { position: absolute; width: 1px; height: 1px; margin: 0; padding: 0; border: 0; overflow: hidden; clip-path: inset(50%); }
@media (max-width: 600px) {
  html { background: var(--surface); }
  body { overflow-x: clip; }
  .top { padding: 16px 20px; border-bottom: 1px solid var(--line); }
  .foot { padding: 16px 20px 24px; border-top: 1px solid var(--line); }
  main, main.wide { align-self: start; margin: 0; padding: 24px 20px 32px; max-width: none; border-radius: 0; box-shadow: none; }
  .facts > div { grid-template-columns: 104px minmax(0, 1fr); }
  .actions .btn, .actions > form { width: 100%; }
}
`;
