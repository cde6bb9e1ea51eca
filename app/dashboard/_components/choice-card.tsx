import type { ReactNode } from "react";

interface Props {
  /** The cards of one question share this name. */
  name: string;
  title?: string;
  checked: boolean;
  onChoose: () => void;
  children: ReactNode;
}

/** Draws one option of a question as a card with a radio button. */
export function ChoiceCard({ name, title, checked, onChoose, children }: Props) {
  return (
    <label
      title={title}
      className="flex min-h-16 items-center gap-3 rounded-xl border border-line px-4 py-3 hover:bg-raised has-checked:border-accent has-checked:bg-accent-wash has-checked:ring-1 has-checked:ring-accent has-focus-visible:outline-3 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
    >
      <input
        type="radio"
        name={name}
        checked={checked}
        onChange={onChoose}
        className="size-4 shrink-0 accent-(--accent)"
      />
      {children}
    </label>
  );
}
