export function LineSample({ line }: { line: "solid" | "dashed" }) {
  const classes = line === "solid" ? "h-0.5 rounded bg-accent" : "border-t-2 border-dashed border-line-strong";
  return <span aria-hidden="true" className={`inline-block w-5 shrink-0 ${classes}`} />;
}
