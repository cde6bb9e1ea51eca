import { LabelledControl } from "@/app/_components/field";

interface Props {
  value: string;
  error: string | null;
  onChange: (text: string) => void;
  onBlur: () => void;
}

/** Draws the field for an address. Its text wraps, so that a phone shows every character. Enter submits the form. */
export function AddressField({ value, error, onChange, onBlur }: Props) {
  return (
    <LabelledControl label="Address" error={error}>
      {(control) => (
        <textarea
          {...control}
          rows={2}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          enterKeyHint="go"
          aria-invalid={error ? true : undefined}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          onBlur={onBlur}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
          className={`${control.className} field-sizing-content block resize-none font-mono break-all`}
        />
      )}
    </LabelledControl>
  );
}
