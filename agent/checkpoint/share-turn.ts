/** A turn that ends when all have ended their shares of it; each call of the returned function begins one, and returns what ends it. */
export function shareTurn(endTurn: () => void): () => () => void {
  let shares = 0;
  return () => {
    shares += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      shares -= 1;
      if (shares === 0) endTurn();
    };
  };
}
