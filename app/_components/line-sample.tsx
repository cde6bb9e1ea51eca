/** Draws a sample of a line, before its name in the legend. */
export function LineSample({ line }: { line: "solid" | "dashed" }) {
  const style = line === "solid" ? "h-0.5 rounded bg-accent" : "border-t-2 border-dashed border-line-strong";
  return <span aria-hidden="true" className={`inline-block w-5 shrink-0 ${style}`} />;
}
