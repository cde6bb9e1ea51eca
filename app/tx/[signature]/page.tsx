import { Transaction } from "@/app/dashboard/_transaction/transaction";

export default async function Page({ params }: { params: Promise<{ signature: string }> }) {
  const { signature } = await params;
  return <Transaction signature={signature} />;
}
