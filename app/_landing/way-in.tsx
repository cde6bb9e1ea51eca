import { ButtonLink } from "../_components/button";

interface Props {
  href: string;
  look?: "secondary";
  label: string;
}

/** A large button into the dashboard, whose code is left alone until it is wanted. */
export const WayIn = ({ label, ...rest }: Props) => (
  <ButtonLink {...rest} prefetch={false} className="min-h-12 px-6 text-lg max-sm:w-full">
    {label}
  </ButtonLink>
);
