const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

function formatClock(date: Date): string {
  return `${pad(date.getUTCHours(), 2)}:${pad(date.getUTCMinutes(), 2)}:${pad(date.getUTCSeconds(), 2)}`;
}

/**
 * `2026-01-31T12:00:00.000Z` of milliseconds since the epoch, as `Date.toISOString` writes it; that one, and `toUTCString`, make V8 read the
 * data of all time zones, which then stay in the process's memory (6 MB of it). Throws a RangeError for what is no time.
 */
export function formatDate(millis: number): string {
  const date = new Date(millis);
  const year = date.getUTCFullYear();
  // Other years are written in another way, and what is no time not at all.
  if (!(year >= 0 && year <= 9999)) return date.toISOString();
  const day = `${pad(year, 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}`;
  return `${day}T${formatClock(date)}.${pad(date.getUTCMilliseconds(), 3)}Z`;
}

/** `Sat, 31 Jan 2026 12:00:00 GMT` of milliseconds since the epoch, for headers of HTTP; the year in four digits. */
export function formatHttpDate(millis: number): string {
  const date = new Date(millis);
  const day = `${pad(date.getUTCDate(), 2)} ${months[date.getUTCMonth()]} ${pad(date.getUTCFullYear(), 4)}`;
  return `${days[date.getUTCDay()]}, ${day} ${formatClock(date)} GMT`;
}
