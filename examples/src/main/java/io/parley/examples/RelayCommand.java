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

/** Runs a relay. */
@Command(
        name = "relay",
        description = {
            "Run a relay: a peer through which others reach each other of which none can be connected to, such as two peers"
                    + " behind routers.",
            "Runs until it is interrupted. Peers that others cannot connect to use it with --relay. It needs an address that all"
                    + " of them reach. All that it forwards is encrypted from peer to peer."
        },
        mixinStandardHelpOptions = true)
final class RelayCommand implements Callable<Integer> {

    /** The default port, so that a relay and a rendezvous run on one machine. */
    static final int PORT = 9702;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Override
    public Integer call() {
        Console console = common.console();
        try (ShutdownSignal shutdown = ShutdownSignal.start();
                Peer peer = overlay.startRelay(PORT)) {
            printAddresses(console, peer.address());
            shutdown.whenRequested().join();
        }
        return 0;
    }

    private static void printAddresses(Console console, PeerAddress self) {
        List<String> forms = self.addresses().stream()
                .filter(address -> !address.isRelayed())
                .map(EndpointAddress::toString)
                .toList();
        console.result(
                JsonObject.object()
                        .add("event", "ready")
                        .add("peer", self.peer().text())
                        .add("relay", forms.isEmpty() ? "" : forms.get(0))
                        .add("addresses", String.join(",", forms)),
                "The relay runs. Peers that others cannot connect to use it with:\n\n"
                        + forms.stream().map(form -> "  --relay " + form).collect(Collectors.joining("\n  or\n"))
                        + "\n");
    }
}
