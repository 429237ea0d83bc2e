import type { Ticket } from './ticket.ts';

/** Tickets in the order in which they came. Each is in one list at most; joining and leaving cost the same however many there are. */
export class TicketList<Details> {
  first: Ticket<Details> | undefined;
  length = 0;
  #last: Ticket<Details> | undefined;

  /** Puts a ticket that is in no list at the end. */
  push(ticket: Ticket<Details>): void {
    ticket.previous = this.#last;
    if (this.#last === undefined) this.first = ticket;
    else this.#last.next = ticket;
    this.#last = ticket;
    this.length += 1;
  }

  /** Takes out a ticket that is in this list. */
  remove(ticket: Ticket<Details>): void {
    const { previous, next } = ticket;
    if (previous === undefined) this.first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    ticket.previous = undefined;
    ticket.next = undefined;
    this.length -= 1;
  }

  /** The tickets from first to last; the list must not change meanwhile. */
  *[Symbol.iterator](): Generator<Ticket<Details>> {
    for (let ticket = this.first; ticket !== undefined; ticket = ticket.next) yield ticket;
  }
}
