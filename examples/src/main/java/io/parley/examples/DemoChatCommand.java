package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.demo.DemoChatParticipant;
import io.parley.examples.lobby.Lobby;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs one participant of the demo's chat room. */
@Command(name = "demo-meet", hidden = true, description = "Run one process of \"parley demo\".")
final class DemoChatCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Option(names = "--others", description = "Number of other participants.")
    private int others;

    @Parameters
    private String room = "";

    @Override
    public Integer call() {
        Console console = common.console();
        try (Peer peer = overlay.start()) {
            console.result(JsonObject.object().add("peer", peer.id().text()), "");
            DemoChatParticipant participant = new DemoChatParticipant(others);
            try (Lobby lobby = new Lobby(peer.group(Lobby.GROUP).join(), room, peer.name(), participant)) {
                lobby.run(new CompletableFuture<>());
            }
            console.result(participant.toJson(), "");
        }
        return 0;
    }
}
