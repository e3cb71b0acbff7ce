// The parts that the HTML reports of this project share, for its other packages.
export { type Environment, readEnvironment, toEnvironmentText, toMinuteText } from "./html/environment.ts";
export { type HtmlPage, toHtmlPage } from "./html/page.ts";
export { escapeHtml, toWhole, toWholeAttribute } from "./html/text.ts";
