package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.worker.CpuTimeCounter;
import io.parley.bench.worker.WorkerConsole;
import io.parley.rendezvous.RendezvousLimits;

/**
 * A process with a rendezvous whose index holds a given number of advertisements. Responds to {@code cpu} with the
 * processor time that it has used, in nanoseconds.
 */
public final class RendezvousMain {

    /** Limits per client that are too high to affect the measurement. */
    static final RendezvousLimits LIMITS = RendezvousLimits.DEFAULTS.toBuilder()
            .index(RendezvousLimits.IndexLimits.DEFAULTS.toBuilder()
                    .maxAdvertisementsPerClient(1_000_000)
                    .maxBytesPerClient(1L << 40)
                    .publicationsPerSecond(100_000)
                    .build())
            .build();

    private RendezvousMain() {}

    /** Runs until standard input ends. */
    public static void main(String[] args) {
        WorkerConsole console = WorkerConsole.take();
        console.runAndHalt(() -> {
            try (Peer peer = Peer.loopback()
                    .name("bench-rendezvous")
                    .actAsRendezvous()
                    .rendezvousLimits(LIMITS)
                    .discoveryLimits(ParleyHomeGenerator.DISCOVERY_LIMITS)
                    .start()) {
                ParleyHomeGenerator.publish(peer, 0, Integer.parseInt(args[0]));
                console.ready(peer.address().addresses().get(0).port(), "-", "");
                console.obey(command -> Long.toString(CpuTimeCounter.nanosSoFar()));
            }
        });
    }
}
