package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs a rendezvous. */
@Command(
        name = "rendezvous",
        description = {
            "Run a rendezvous: a peer that keeps an index of advertisements and forwards group messages.",
            "Runs until it is interrupted. Other peers use it with --rendezvous. Further rendezvous do the same and form one"
                    + " network, in which each can replace another."
        },
        mixinStandardHelpOptions = true)
final class RendezvousCommand implements Callable<Integer> {

    /** The default port. */
    static final int PORT = 9701;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Option(
            names = "--as-relay",
            description = "Be a relay too, for peers that use this address with --relay: see parley relay --help.")
    private boolean asRelay;

    @Override
    public Integer call() {
        Console console = common.console();
        try (ShutdownSignal shutdown = ShutdownSignal.start();
                Peer peer = overlay.startRendezvous(PORT, asRelay)) {
            announce(console, peer.address());
            shutdown.whenRequested().join();
        }
        return 0;
    }

    private void announce(Console console, PeerAddress self) {
        List<String> forms = forms(self);
        console.result(
                JsonObject.object()
                        .add("event", "ready")
                        .add("peer", self.peer().text())
                        .add("rendezvous", forms.get(0))
                        .add("addresses", String.join(",", forms)),
                "The rendezvous runs. Other peers use it with:\n\n"
                        + forms.stream().map(form -> "  --rendezvous " + form).collect(Collectors.joining("\n  or\n"))
                        + "\n");
    }

    /**
     * Returns the addresses for other peers. They include the peer id, which authenticates the rendezvous, if the id is the
     * same after a restart.
     */
    private List<String> forms(PeerAddress self) {
        return overlay.hasHome()
                ? List.of(self.toString())
                : self.addresses().stream().map(EndpointAddress::toString).toList();
    }
}
