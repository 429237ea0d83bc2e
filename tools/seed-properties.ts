import { configureGlobal } from 'fast-check';

// A check must not fail by luck: properties run from one seed, and from a new one each time only in the soak.
const given = process.env['BAILIWICK_SEED'];
const seed =
  given !== undefined
    ? Number(given)
    : process.env['BAILIWICK_SOAK'] === undefined
      ? 20_260_401
      : Math.floor(Math.random() * 2 ** 31);

configureGlobal({ seed });
