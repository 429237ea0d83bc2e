/** All of upstream's specs of disruption budgets, as expressions of Go for their full names, and how many there are. */
export const disruptionSpecs = { focus: [String.raw`\] DisruptionController `], fewest: 19 } as const;
