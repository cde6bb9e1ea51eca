import { createCronHandler } from "@/lib/http/cron";
import { advancePendingOnce } from "@/lib/services/steps/relay/advance-pending";

export const GET = createCronHandler(advancePendingOnce);
