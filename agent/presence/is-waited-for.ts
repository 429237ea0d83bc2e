/** Whether someone waits for a lock that the process `holderId` holds by flock, by the text of `/proc/locks`. */
export function isWaitedFor(locks: string, holderId: number): boolean {
  const lines = locks.split('\n').map((line) => line.trim().split(/\s+/));
  const held = lines.filter(([, type, , , id]) => type === 'FLOCK' && id === String(holderId));
  return held.some(([number]) => lines.some((line) => line[0] === number && line[1] === '->'));
}
