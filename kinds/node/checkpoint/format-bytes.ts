const units = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi'] as const;

/** An amount of bytes for people, three digits or fewer before the point: `0`, `512`, `1.5Ki`, `20Mi`. */
export function formatBytes(bytes: number): string {
  let amount = bytes;
  let unit = '';
  for (const next of units) {
    if (amount < 1000) break;
    amount /= 1024;
    unit = next;
  }
  return unit === '' || amount >= 10 ? `${Math.round(amount)}${unit}` : `${Number(amount.toFixed(1))}${unit}`;
}
