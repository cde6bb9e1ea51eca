import { usdText } from "./money";

const [WIDTH, HEIGHT] = [600, 200];

interface LinePoint {
  /** Position from left to right, in any unit. */
  at: number;
  /** USD; filled below. */
  solid: number;
  /** USD. */
  dashed: number;
}

interface Props {
  title: string;
  points: LinePoint[];
  /** Labels of the first and the last point. */
  from: string;
  to: string;
  /** Whether the largest amount is written at the top. */
  marksTop?: boolean;
}

/**
 * Draws two amounts as lines, with 0 at the bottom. Hidden from screen readers: words or a table beside it have the
 * same data.
 */
export function TwoLines({ title, points, from, to, marksTop = false }: Props) {
  const values = points.flatMap(({ solid, dashed }) => [solid, dashed]);
  const most = Math.max(...values);
  // The label at the top must not overlap the line.
  const top = most * (marksTop ? 1.15 : 1.08) || 1;
  const bottom = Math.min(0, ...values);
  const [first, last] = [points[0]!.at, points.at(-1)!.at];
  const x = (at: number) => (((at - first) / (last - first || 1)) * WIDTH).toFixed(1);
  const y = (usd: number) => (HEIGHT - ((usd - bottom) / (top - bottom)) * HEIGHT).toFixed(1);
  const path = (line: "solid" | "dashed") => `M${points.map((point) => `${x(point.at)} ${y(point[line])}`).join("L")}`;
  return (
    <div aria-hidden="true">
      <div className="relative">
        {marksTop && <span className="absolute top-0 left-0 text-xs text-soft tabular-nums">{usdText(most)}</span>}
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className="h-48 w-full sm:h-56">
          <title>{title}</title>
          <path d={`${path("solid")}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} className="fill-accent-wash" />
          <path
            d={path("dashed")}
            vectorEffect="non-scaling-stroke"
            className="fill-none stroke-line-strong stroke-2 [stroke-dasharray:6_5]"
          />
          <path
            d={path("solid")}
            vectorEffect="non-scaling-stroke"
            strokeLinejoin="round"
            className="fill-none stroke-accent stroke-[2.5]"
          />
        </svg>
      </div>
      <p className="mt-1.5 flex justify-between border-t border-line pt-1.5 text-xs text-soft">
        <span>{from}</span>
        <span>{to}</span>
      </p>
    </div>
  );
}

/** A sample of a line, shown before its name in the legend. */
export function LineSample({ line }: { line: "solid" | "dashed" }) {
  const look = line === "solid" ? "h-0.5 rounded bg-accent" : "border-t-2 border-dashed border-line-strong";
  return <span aria-hidden="true" className={`w-5 shrink-0 ${look}`} />;
}
