/** The first match decides. Many user agents name several browsers, so the most common ones are last. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\b(?:OPR|OPT|Opera)\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\bHeadlessChrome\//, "Headless Chrome"],
  [/\b(?:Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bVersion\/[\d.]+.*\bSafari\//, "Safari"],
];
const systems: readonly [RegExp, string][] = [
  [/\biPad\b/, "iPadOS"],
  [/\b(?:iPhone|iPod)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bWindows\b/, "Windows"],
  [/\b(?:Macintosh|Mac OS X)\b/, "macOS"],
  [/\b(?:Linux|X11)\b/, "Linux"],
];

const findName = (list: readonly [RegExp, string][], agent: string) =>
  list.find(([pattern]) => pattern.test(agent))?.[1];

/** Returns a name such as `Firefox on Windows` or `curl 8.5`, or `Unknown device`. */
export function describeDevice(agent: string): string {
  const browser = findName(browsers, agent);
  const system = findName(systems, agent);
  if (browser) return system ? `${browser} on ${system}` : browser;
  const program = /^([A-Za-z][\w.-]{0,39})(?:\/v?(\d[\d.]{0,15}))?/.exec(agent);
  if (program && program[1] !== "Mozilla") return program[2] ? `${program[1]} ${program[2]}` : program[1]!;
  return system ? `Unknown browser on ${system}` : "Unknown device";
}
