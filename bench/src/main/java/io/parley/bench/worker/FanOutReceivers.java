package io.parley.bench.worker;

import io.parley.bench.contender.FanOutContender;
import io.parley.bench.contender.FanOutReceipt;
import java.util.ArrayList;
import java.util.List;

/** The receivers of a receiving process. Not thread-safe. */
final class FanOutReceivers implements AutoCloseable {

    private final FanOutContender contender;
    private final String address;
    private final List<Entry> open = new ArrayList<>();

    FanOutReceivers(FanOutContender contender, String address) {
        this.contender = contender;
        this.address = address;
    }

    /** Opens or closes receivers until there are {@code count}. */
    void resize(int count, boolean isDropping) throws Exception {
        while (open.size() < count) {
            FanOutReceipt receipt = new FanOutReceipt();
            AutoCloseable receiver =
                    contender.receive(address, isDropping, isDropping ? message -> {} : receipt::received);
            open.add(new Entry(receiver, receipt));
        }
        while (open.size() > count) {
            open.remove(open.size() - 1).receiver().close();
        }
    }

    List<FanOutReceipt> receipts() {
        return open.stream().map(Entry::receipt).toList();
    }

    @Override
    public void close() throws Exception {
        for (Entry entry : open) {
            entry.receiver().close();
        }
    }

    /** A receiver and what it got. */
    private record Entry(AutoCloseable receiver, FanOutReceipt receipt) {}
}
