import { common } from "../texts/common.ts";
import { locale } from "./locale.ts";

/** How values are written for people. All use the reader's language and time zone. */

const numbers = new Intl.NumberFormat(locale);
const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" });
const clockOfSecond = new Intl.DateTimeFormat(locale, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const exact = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "long" });

export const formatNumber = (value: number): string => numbers.format(value);

export const readerTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const dayMs = 24 * 3_600_000;

/** `now`, `4 min ago`, `in 2 h`, and beyond a day `13 Nov, 14:28`. */
export function formatWhen(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 10_000) return common.time.now;
  if (distance < dayMs) {
    const text = formatDistance(distance);
    return at > now ? common.time.in(text) : common.time.ago(text);
  }
  return formatDate(at, now);
}

function formatDistance(ms: number): string {
  if (ms < 59_500) return `${Math.round(ms / 1000)} s`;
  if (ms < 59.5 * 60_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 3_600_000)} h`;
}

/** `13 Nov, 14:28`, with the year when it is another one. */
export function formatDate(at: number, now: number): string {
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  return `${(isThisYear ? day : dayOfYear).format(date)}, ${clock.format(date)}`;
}

export const formatDay = (at: number): string => day.format(at);

const utcDay = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", timeZone: "UTC" });
/** `13 Nov` for `2026-11-13`, a day in UTC, wherever the reader is. */
export const formatUtcDay = (date: string): string =>
  utcDay.format(new Date(`${date.slice(0, 10)}T00:00:00Z`));
export const formatClock = (at: number): string => clock.format(at);
export const formatSeconds = (at: number): string => clockOfSecond.format(at);

/** The latest time of a date. A runner can report later ones, up to 2^53 − 1. */
const maxTime = 8.64e15;
export const formatExact = (at: number): string => exact.format(Math.min(at, maxTime));
export const toIsoTime = (at: number): string => new Date(Math.min(at, maxTime)).toISOString();

/** `<1 ms`, `412 ms`, `1.3 s`, `2 min 14 s`, `3 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return "<1 ms";
  // What would be rounded to the next unit is written in it: not "60 s".
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 59_500) return `${Math.round(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (seconds < 3600) return joinUnits(`${minutes} min`, seconds % 60, "s");
  return joinUnits(`${Math.floor(minutes / 60)} h`, minutes % 60, "min");
}

/** "30 min" and "2 min 14 s", but not "30 min 0 s". */
const joinUnits = (whole: string, rest: number, unit: string): string =>
  rest === 0 ? whole : `${whole} ${rest} ${unit}`;

const moneyFormats = new Map<string, Intl.NumberFormat>();

/** To make a format takes much longer than to use it, and a run shows many costs. */
function findMoneyFormat(currency: string, fewest: number, most: number): Intl.NumberFormat {
  const key = `${currency} ${fewest} ${most}`;
  const known = moneyFormats.get(key);
  if (known) return known;
  const format = new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: fewest,
    maximumFractionDigits: most,
  });
  moneyFormats.set(key, format);
  return format;
}

/** An amount in millionths of the currency. 2 decimals in lists, 4 on a run. */
export function formatCost(micros: number, decimals: 2 | 4 = 2, currency = "USD"): string {
  const amount = micros / 1_000_000;
  const shown = amount > 0 && amount < 10 ** -decimals ? 10 ** -decimals : amount;
  const text = findMoneyFormat(currency, decimals, decimals).format(shown);
  return shown === amount ? text : `<${text}`;
}

/** An amount with all its decimals, for prices and for the axis of a chart, where small amounts must differ. */
export const formatExactCost = (micros: number, currency = "USD"): string =>
  findMoneyFormat(currency, 2, 6).format(micros / 1_000_000);

const units = ["bytes", "kB", "MB", "GB", "TB"];

export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3);
  // 999,600 bytes are 1.0 MB and not 1000 kB.
  const step = Math.min(bytes / 1000 ** power >= 999.5 ? power + 1 : power, units.length - 1);
  const value = bytes / 1000 ** step;
  return `${value < 10 && step > 0 ? value.toFixed(1) : Math.round(value)} ${units[step]}`;
}

/** Only all is `100%`: what is nearly all has a decimal. */
export function formatPercent(share: number): string {
  const percent = share * 100;
  if (percent > 99 && percent < 100) return `${Math.floor(percent * 10) / 10}%`;
  return `${percent > 0 && percent < 10 ? percent.toFixed(1) : Math.round(percent)}%`;
}

/** The prefix and the last six characters of an id: `run_…kc41ex`. */
export function shortenId(id: string): string {
  const [prefix, rest] = id.split(/_(?=[^_]*$)/);
  return rest === undefined || rest.length <= 8 ? id : `${prefix}_…${rest.slice(-6)}`;
}

/** Up to two initials of a name or an e-mail address. */
export function findInitials(name: string): string {
  const words = name.split(/[\s@._-]+/).filter(Boolean);
  const letters = words.length > 1 ? [words[0]!, words.at(-1)!] : words.slice(0, 1);
  return letters.map((word) => [...word][0]!.toUpperCase()).join("") || "?";
}
