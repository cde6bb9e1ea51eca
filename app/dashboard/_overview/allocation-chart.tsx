"use client";

import { Cell, Pie, PieChart } from "recharts";

export interface Slice {
  key: string;
  value: number;
  colour: string;
}

/** A ring of shares. Decoration for those who see it: the table beside it says the same. */
export function AllocationChart({ slices }: { slices: Slice[] }) {
  return (
    <div aria-hidden="true" className="shrink-0">
      <PieChart width={176} height={176} accessibilityLayer={false}>
        <Pie
          data={slices}
          dataKey="value"
          nameKey="key"
          innerRadius={58}
          outerRadius={86}
          startAngle={90}
          endAngle={-270}
          stroke="var(--card)"
          strokeWidth={slices.length > 1 ? 3 : 0}
          isAnimationActive={false}
          rootTabIndex={-1}
        >
          {slices.map(({ key, colour }) => (
            <Cell key={key} fill={colour} />
          ))}
        </Pie>
      </PieChart>
    </div>
  );
}
