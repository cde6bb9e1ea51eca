const VARIANT_CLASSES = {
  primary: "bg-accent text-accent-ink hover:brightness-110",
  secondary: "border border-line-strong bg-card text-ink hover:bg-raised",
  quiet: "text-accent hover:bg-accent-wash",
  danger: "border border-bad text-bad hover:bg-bad-wash",
};
const SHAPE_CLASSES =
  "inline-flex min-h-11 items-center justify-center gap-2 rounded-xl px-4 py-2 text-center font-medium transition-[filter,background-color] disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55";

export type ButtonVariant = keyof typeof VARIANT_CLASSES;

export const getButtonClasses = (variant: ButtonVariant = "primary", className = ""): string =>
  `${SHAPE_CLASSES} ${VARIANT_CLASSES[variant]} ${className}`;
