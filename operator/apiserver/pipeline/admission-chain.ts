import type {
  AdmissionAttributes,
  AdmissionPlugin,
  AdmissionReport,
  AdmissionReservation,
} from '../../../admission/admission-plugin.ts';

/** The installed plugins, in order, as one. */
export class AdmissionChain {
  readonly #plugins: AdmissionPlugin[] = [];

  add(plugins: readonly AdmissionPlugin[]): void {
    this.#plugins.push(...plugins);
  }

  /** Runs every mutating step; the first refusal ends the request. */
  async mutate(attributes: AdmissionAttributes, report: AdmissionReport): Promise<void> {
    for (const plugin of this.#plugins) {
      if (plugin.mutate !== undefined && plugin.handles(attributes)) await plugin.mutate(attributes, report);
    }
  }

  /** Runs every validating step; the first refusal ends the request. */
  async validate(attributes: AdmissionAttributes, report: AdmissionReport): Promise<void> {
    for (const plugin of this.#plugins) {
      if (plugin.validate !== undefined && plugin.handles(attributes)) await plugin.validate(attributes, report);
    }
  }

  /** Runs every last look; the first refusal ends the request. */
  confirm(attributes: AdmissionAttributes): void {
    for (const plugin of this.#plugins) {
      if (plugin.confirm !== undefined && plugin.handles(attributes)) plugin.confirm(attributes);
    }
  }

  /** Runs every reserving step. What was reserved before a refusal is given back. */
  async reserve(attributes: AdmissionAttributes): Promise<AdmissionReservation | undefined> {
    const made: AdmissionReservation[] = [];
    try {
      for (const plugin of this.#plugins) {
        if (plugin.reserve === undefined || !plugin.handles(attributes)) continue;
        const reservation = await plugin.reserve(attributes);
        if (reservation !== undefined) made.push(reservation);
      }
    } catch (error) {
      await undoAll(made);
      throw error;
    }
    if (made.length === 0) return undefined;
    return {
      settle: () => {
        for (const reservation of made) reservation.settle();
      },
      undo: () => undoAll(made),
    };
  }
}

async function undoAll(reservations: readonly AdmissionReservation[]): Promise<void> {
  for (const reservation of reservations.toReversed()) await reservation.undo();
}
