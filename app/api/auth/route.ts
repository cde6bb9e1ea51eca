import { getAuthMessageContract } from "@/lib/contracts/get-auth-message";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { getAuthMessage } from "@/lib/services/get-auth-message";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(getAuthMessage, getAuthMessageContract),
);
