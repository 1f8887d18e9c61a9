const delimiters = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/;
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/**
 * Parses the date of a cookie (RFC 6265, section 5.1.1), as milliseconds since the epoch. Undefined: it is none, or there
 * is no such day or time.
 */
export function parseCookieDate(text: string): number | undefined {
  let time: readonly number[] | undefined;
  let [day, month, year]: (number | undefined)[] = [];
  for (const token of text.split(delimiters)) {
    const clock = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?!\d)/.exec(token);
    const digits = /^\d{1,4}(?!\d)/.exec(token)?.[0] ?? "";
    const named = months.indexOf(token.slice(0, 3).toLowerCase());
    if (time === undefined && clock !== null) time = clock.slice(1).map(Number);
    else if (day === undefined && /^\d{1,2}$/.test(digits)) day = Number(digits);
    else if (month === undefined && named !== -1) month = named;
    else if (year === undefined && digits.length >= 2) year = Number(digits);
  }
  const [hour = 24, minute = 60, second = 60] = time ?? [];
  if (day === undefined || month === undefined || year === undefined) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const fullYear = year >= 100 ? year : year + (year < 70 ? 2_000 : 1_900);
  const at = Date.UTC(fullYear, month, day, hour, minute, second);
  return fullYear >= 1_601 && new Date(at).getUTCDate() === day ? at : undefined;
}
