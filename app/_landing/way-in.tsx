import { ButtonLink } from "../_components/button";

interface Props {
  href: string;
  variant?: "secondary";
  label: string;
}

/** A large link to the dashboard. Does not prefetch the dashboard's code. */
export const DashboardLink = ({ label, ...rest }: Props) => (
  <ButtonLink {...rest} prefetch={false} className="min-h-12 px-6 text-lg max-sm:w-full">
    {label}
  </ButtonLink>
);
