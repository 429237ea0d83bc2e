function letOthersRun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

let isLoaded = false;

/** Loads what compiles and evaluates expressions where nothing needed it yet, part by part: as a whole it would hold up others for too long. */
export async function loadExpressions(): Promise<void> {
  if (isLoaded) return;
  await import('./check-source.ts');
  await letOthersRun();
  await import('./compile-expression.ts');
  await letOthersRun();
  await import('./libraries/standard/standard-library.ts');
  await letOthersRun();
  await import('./kubernetes-environment.ts');
  await letOthersRun();
  isLoaded = true;
}
