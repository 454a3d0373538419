package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.testkit.Eventually;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many pipes between two processes, and many peers that send to one pipe, with default settings and 512 MB of heap. */
@Tag("slow")
class PipeDensityTest {

    private static final int WARM = 500;
    private static final int PIPES = 10_000;
    private static final int PEERS = Integer.getInteger("parley.test.peers", 2000);
    private static final int PROCESSES = 4;
    private static final int MESSAGES = 20;
    private static final int MAX_BYTES = 2048;

    @Test
    void tenThousandIdlePipes_costLittle() throws Exception {
        try (PipeDensityProcess holder = PipeDensityProcess.start("512m");
                PipeDensityProcess sender = PipeDensityProcess.start("512m")) {
            String address = holder.run("start", 1);
            sender.run("start", 1);
            holder.run("open", 0, WARM);
            sender.run("connect", address, 0, WARM);
            long holderBefore = holder.number("heap");
            long senderBefore = sender.number("heap");
            holder.run("open", WARM, PIPES);
            long nanos = sender.number("connect", address, WARM, PIPES);
            long held = (holder.number("heap") - holderBefore) / PIPES;
            long sent = (sender.number("heap") - senderBefore) / PIPES;
            sender.run("sendOne");
            long heldUsed = (holder.number("heap") - holderBefore) / PIPES;
            long sentUsed = (sender.number("heap") - senderBefore) / PIPES;
            System.out.printf(
                    "density: %d pipes, opened in %d us each on average, %d bytes of heap each at the holder, %d at the sender%n",
                    PIPES, nanos / 1000, held, sent);
            System.out.printf(
                    "density: after one unread message in each: %d bytes at the holder, %d at the sender%n",
                    heldUsed, sentUsed);
            assertThat(held).as("bytes at the holder").isLessThanOrEqualTo(MAX_BYTES);
            assertThat(sent).as("bytes at the sender").isLessThanOrEqualTo(MAX_BYTES);
            assertThat(sentUsed).as("bytes at the sender, used").isLessThanOrEqualTo(MAX_BYTES);
        }
    }

    @Test
    void manyPeers_sendToOnePipe_whileAnotherIsNotRead() throws Exception {
        List<PipeDensityProcess> senders = new ArrayList<>();
        try (PipeDensityProcess holder = PipeDensityProcess.start("512m")) {
            String address = holder.run("start", 1);
            holder.run("listen", 0);
            holder.run("open", 1, 1);
            long connectStart = System.nanoTime();
            for (int i = 0; i < PROCESSES; i++) {
                PipeDensityProcess process = PipeDensityProcess.start("2g");
                senders.add(process);
                process.run("start", PEERS / PROCESSES);
                process.run("connectAll", address, 0);
                process.run("flood", address, 1, PEERS / PROCESSES / 10);
            }
            long connectMillis = (System.nanoTime() - connectStart) / 1_000_000;
            long millis = 0;
            for (PipeDensityProcess process : senders) {
                millis += process.number("sendAll", MESSAGES, 1000);
            }
            long expected = (long) (PEERS / PROCESSES) * PROCESSES * MESSAGES;
            Eventually.until(() -> expected + " messages", () -> holder.number("received") == expected);
            System.out.printf(
                    "density: %d peers started and connected in %d ms, sent %d messages of 1 KB in %d ms, heap of the receiver %d MiB%n",
                    PEERS, connectMillis, expected, millis, holder.number("heap") >> 20);
        } finally {
            senders.forEach(PipeDensityProcess::close);
        }
    }
}
