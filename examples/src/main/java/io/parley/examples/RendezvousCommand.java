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

/** A peer that others ask who there is. */
@Command(
        name = "rendezvous",
        description = {
            "Run a rendezvous: a peer that tells others what is published, wherever they are.",
            "Listens on port 9701 unless told otherwise, and runs until it is ended. Others name it with --rendezvous, further",
            "rendezvous do as well: then they are one network, and each can take another's place."
        },
        mixinStandardHelpOptions = true)
final class RendezvousCommand implements Callable<Integer> {

    private static final int PORT = 9701;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Override
    public Integer call() {
        Console console = common.console();
        try (ShutdownSignal ended = ShutdownSignal.start();
                Peer peer = overlay.startRendezvous(PORT)) {
            announce(console, peer.address());
            ended.asked().join();
        }
        return 0;
    }

    private void announce(Console console, PeerAddress self) {
        List<String> forms = forms(self);
        console.result(
                JsonObject.object()
                        .add("peer", self.peer().text())
                        .add("rendezvous", forms.get(0))
                        .add("addresses", String.join(",", forms)),
                "The rendezvous runs. Others find it with:\n\n"
                        + forms.stream().map(form -> "  --rendezvous " + form).collect(Collectors.joining("\n  or\n"))
                        + "\n");
    }

    /** With the id, so that nobody else can pose as this rendezvous, where the id is still the same after a restart. */
    private List<String> forms(PeerAddress self) {
        return overlay.hasHome()
                ? List.of(self.toString())
                : self.addresses().stream().map(EndpointAddress::toString).toList();
    }
}
