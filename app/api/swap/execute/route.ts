import { executeTransactionContract } from "@/lib/contracts/execute-transaction";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { executeTransaction } from "@/lib/services/execute-transaction";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(executeTransaction, executeTransactionContract),
);
