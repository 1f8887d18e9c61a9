const form =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(?:[Zz]|([+-])(\d\d):(\d\d)))?$/;

/**
 * Parses a time of RFC 3339, section 5.6 (seconds may be left out), or a date, which is its midnight in UTC. `Date.parse`
 * turns 30 February into 2 March, and takes a time without an offset for a local one.
 *
 * @returns milliseconds since 1970; undefined for another text, and for a day or a time of day that does not exist.
 */
export function parseTime(text: string): number | undefined {
  const [, year, month, day, hour = "0", minute = "0", second = "0", part = "", sign, ...offset] =
    form.exec(text) ?? [];
  if (year === undefined) return undefined;
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // The years 0 to 99 are not those of the 20th century.
  const start = new Date(midnight).setUTCFullYear(Number(year));
  const exists = new Date(start).toISOString().startsWith(`${year}-${month}-${day}`);
  const [offsetHour = 0, offsetMinute = 0] = offset.map((one) => Number(one ?? 0));
  // A leap second is the beginning of the next minute.
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60;
  if (!exists || !isTime || offsetHour > 23 || offsetMinute > 59) return undefined;
  const minutes = Number(hour) * 60 + Number(minute);
  const shift = (offsetHour * 60 + offsetMinute) * (sign === "-" ? -1 : 1);
  const milliseconds = Math.floor(Number(`0${part}`) * 1_000);
  return start + (minutes - shift) * 60_000 + Number(second) * 1_000 + milliseconds;
}
