const PICTURE_TEXT =
  "The overview on a phone: the total, how it has changed, and this week’s change with the button that saves it.";

/** The browser does not load the picture of the other colour scheme. */
export function DashboardPicture({ className = "" }: { className?: string }) {
  return (
    <div
      className={`mx-auto w-75 max-w-full overflow-hidden rounded-[2rem] border-8 border-line bg-card shadow-sm ${className}`}
    >
      {(["light", "dark"] as const).map((scheme) => (
        <img
          key={scheme}
          src={`/dashboard-${scheme}.webp`}
          alt={PICTURE_TEXT}
          width={390}
          height={900}
          loading="lazy"
          className={`only-${scheme} h-auto w-full`}
        />
      ))}
    </div>
  );
}
