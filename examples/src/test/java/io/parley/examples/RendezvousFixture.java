package io.parley.examples;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A rendezvous in a process of its own, for several tests. They share its index, so each test uses other names. Closing it
 * kills the process.
 */
final class RendezvousFixture implements AutoCloseable {

    private final ParleyProcess process;
    private final String peer;
    private final String address;
    private final String addresses;

    private RendezvousFixture(ParleyProcess process, String started) {
        this.process = process;
        this.peer = ParleyProcess.field(started, "peer");
        this.address = ParleyProcess.field(started, "rendezvous");
        this.addresses = ParleyProcess.field(started, "addresses");
    }

    /** Starts a rendezvous on a port of the system's choice, and waits until it runs. */
    static RendezvousFixture start(Path directory) throws IOException, InterruptedException {
        return startAt(directory, ParleyProcess.ANY_PORT, List.of());
    }

    /** Starts a rendezvous that knows others, and waits until it runs. */
    static RendezvousFixture startAt(Path directory, String address, List<String> others)
            throws IOException, InterruptedException {
        ParleyProcess process =
                ParleyProcess.startWithRendezvous(directory, others, "rendezvous", "--json", "--address", address);
        return new RendezvousFixture(process, process.lines().awaitContaining("\"rendezvous\""));
    }

    String peer() {
        return peer;
    }

    String address() {
        return address;
    }

    /** Returns all addresses on which the rendezvous listens, with commas in between. */
    String addresses() {
        return addresses;
    }

    /** Starts a command that uses this rendezvous, without multicast. */
    ParleyProcess startClient(Path directory, String... arguments) throws IOException {
        return ParleyProcess.startWithRendezvous(directory, List.of(address), arguments);
    }

    @Override
    public void close() {
        process.close();
    }
}
