/** What the names of the review kinds' definitions begin with. */
export const reviewPackage = 'dev.bailiwick.review.v1';
