import type { Ticket } from './ticket.ts';

/**
 * Tells requests what became of them once everything is settled, one after the other: what they do at once, such as to end, comes after, and
 * never within, the decision about others.
 */
export class DecisionQueue<Details> {
  #tickets: Ticket<Details>[] = [];
  #isTelling = false;

  /** Tells a ticket's request of its decision with the next `tell`. */
  add(ticket: Ticket<Details>): void {
    this.#tickets.push(ticket);
  }

  /** Tells all, also those that are decided meanwhile. Throws what a request threw first, when all are told. */
  tell(): void {
    if (this.#isTelling || this.#tickets.length === 0) return;
    this.#isTelling = true;
    const thrown: unknown[] = [];
    while (this.#tickets.length > 0) {
      const tickets = this.#tickets;
      this.#tickets = [];
      for (const ticket of tickets) {
        try {
          ticket.request.decide(ticket.refusal);
        } catch (error) {
          thrown.push(error);
        }
      }
    }
    this.#isTelling = false;
    if (thrown.length > 0) throw thrown[0];
  }
}
