interface Slice {
  key: string;
  /** The size of the slice, in any unit that all slices share. */
  value: number;
  colour: string;
}

/** All in units of the view box. */
const [SIZE, RADIUS, STROKE_WIDTH] = [176, 72, 28];
/** The gap between two slices, 3 units of the view box, as a share of the ring. */
const GAP_SHARE = 3 / (2 * Math.PI * RADIUS);

/**
 * Draws shares as a ring, clockwise from the top. Hidden from screen readers: the table beside it has the same figures.
 */
export function AllocationChart({ slices }: { slices: Slice[] }) {
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  let nextStart = 0;
  const arcs = slices.map(({ key, value, colour }) => {
    const [share, start] = [value / total, nextStart];
    nextStart += share;
    // A share that is smaller than the gap still shows a thin line.
    return { key, colour, start, length: Math.max(share - GAP_SHARE, GAP_SHARE / 2) };
  });
  return (
    <svg
      viewBox={`0 0 ${SIZE} ${SIZE}`}
      width={SIZE}
      height={SIZE}
      aria-hidden="true"
      data-testid="allocation"
      className="shrink-0 fill-none"
    >
      {arcs.map(({ key, colour, start, length }) => (
        <circle
          key={key}
          cx={SIZE / 2}
          cy={SIZE / 2}
          r={RADIUS}
          pathLength={1}
          stroke={colour}
          strokeWidth={STROKE_WIDTH}
          strokeDasharray={`${length} ${1 - length}`}
          transform={`rotate(${start * 360 - 90} ${SIZE / 2} ${SIZE / 2})`}
        />
      ))}
    </svg>
  );
}
