/** How fast nodes of a zone may be tainted so that their pods go, in nodes a second. */
export interface ZoneRateSettings {
  readonly evictionRate: number;
  /** In a zone that is disrupted in part, when it is a large one; a small one stands still. */
  readonly secondaryEvictionRate: number;
  /** A zone of more nodes than this is a large one. */
  readonly largeZoneSize: number;
  /** Part of a zone's nodes from which on it is disrupted. */
  readonly unhealthyThreshold: number;
}

export type ZoneState = 'Initial' | 'Normal' | 'PartialDisruption' | 'FullDisruption';

/** How many nodes of a zone are ready, and how many are not; nodes that are excluded from these checks are in neither. */
export interface ZoneHealth {
  readonly ready: number;
  readonly notReady: number;
}

/** What the health of all zones asks for. */
export interface ZonePlan {
  /** From now on, for every zone that has nodes. */
  readonly states: ReadonlyMap<string, ZoneState>;
  /** New rates; a zone that is not named keeps its own. */
  readonly rates: ReadonlyMap<string, number>;
  /** No node is ready any more: that is the fault of whoever looks, so every node is as if it were. */
  readonly untaintsAll: boolean;
  /** The first node is ready again: nothing that was not heard meanwhile counts. */
  readonly forgivesAll: boolean;
}

/** A zone's state by its nodes; a few nodes that are not ready are never a disruption, unless they are all. */
export function judgeZone({ ready, notReady }: ZoneHealth, { unhealthyThreshold }: ZoneRateSettings): ZoneState {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  // In the precision of the setting where it is read: 55 of 100 is the threshold of 0.55.
  const part = Math.fround(notReady / (notReady + ready));
  return notReady > 2 && part >= Math.fround(unhealthyThreshold) ? 'PartialDisruption' : 'Normal';
}

function chooseRate(state: ZoneState, size: number, settings: ZoneRateSettings): number {
  if (state !== 'PartialDisruption') return settings.evictionRate;
  return size > settings.largeZoneSize ? settings.secondaryEvictionRate : 0;
}

/**
 * Decides how fast each zone's nodes may be tainted. `before` are the states of the zones at the last look, `Initial` for one that is new.
 * A zone that fails whole is emptied at the full rate, a zone that fails in part slowly or not at all; when all zones fail, nothing is.
 */
export function planZones(
  zones: ReadonlyMap<string, ZoneHealth>,
  before: ReadonlyMap<string, ZoneState>,
  settings: ZoneRateSettings,
): ZonePlan {
  const states = new Map([...zones].map(([zone, health]) => [zone, judgeZone(health, settings)]));
  const old = new Map<string, ZoneState>([...zones.keys()].map((zone) => [zone, before.get(zone) ?? 'Initial']));
  const areAll = (map: ReadonlyMap<string, ZoneState>): boolean =>
    [...map.values()].every((state) => state === 'FullDisruption');
  const isDown = areAll(states);
  const wasDown = areAll(old);
  const rates = new Map<string, number>();
  for (const [zone, state] of states) {
    const { ready, notReady } = zones.get(zone) ?? { ready: 0, notReady: 0 };
    if (isDown && !wasDown) rates.set(zone, 0);
    else if (!isDown && (wasDown || old.get(zone) !== state)) {
      rates.set(zone, chooseRate(state, ready + notReady, settings));
    }
  }
  return { states, rates, untaintsAll: isDown && !wasDown, forgivesAll: wasDown && !isDown };
}
