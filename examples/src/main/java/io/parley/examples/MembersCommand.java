package io.parley.examples;

import io.parley.Peer;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.publish.AdvertisementPublisher;
import io.parley.group.MemberView;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Sends lines to all members of a group, and prints theirs. */
@Command(
        name = "members",
        description = {
            "Send each line of the standard input to all members of a group, and print the lines of the others.",
            "Each member is connected to a few others, and lines go from one to the next, so a group can have thousands of"
                    + " members. Members are the peers that run this command with the same group. It goes on after the end of"
                    + " the input."
        },
        mixinStandardHelpOptions = true)
final class MembersCommand implements Callable<Integer> {

    private static final ServiceAddress LINES = ServiceAddress.of("lines");

    /** The time after which a line is sent again that found the queues to all neighbors full. */
    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Mixin
    private PrintedLinesOptions lines = new PrintedLinesOptions();

    @Override
    public Integer call() {
        lines.check();
        Console console = common.console();
        try (ShutdownSignal shutdown = ShutdownSignal.start();
                Peer peer = overlay.start()) {
            CompletableFuture<Void> end = lines.end(shutdown);
            MemberView members = group.join(peer).members();
            members.listen(LINES, (from, message) -> lines.print(console, from, message, end));
            members.addListener(neighbors -> showNeighbors(console, neighbors, members));
            console.remark("Searching for other members. Ctrl-C ends this.");
            members.whenConnected().thenRun(() -> startReader(members, peer.name(), end));
            end.join();
        }
        return 0;
    }

    private static void showNeighbors(Console console, Set<PeerId> neighbors, MemberView members) {
        if (console.isJson()) {
            console.result(
                    JsonObject.object()
                            .add("event", "neighbors")
                            .add("neighbors", neighbors.size())
                            .add("known", members.members().size()),
                    "");
        } else {
            console.remark("Connected to " + TextFormatter.count(neighbors.size(), "member") + ".");
        }
    }

    private static void startReader(MemberView members, String name, CompletableFuture<Void> end) {
        Thread reader = new Thread(
                () -> {
                    try {
                        sendLines(members, name);
                    } catch (IOException | RuntimeException e) { // such as a view that is closed
                        end.completeExceptionally(e);
                    }
                },
                "line input");
        reader.setDaemon(true); // it may wait for the input when the process is interrupted
        reader.start();
    }

    private static void sendLines(MemberView members, String name) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Message message = Message.builder()
                    .add(AdvertisementPublisher.NAME, name)
                    .add(AdvertisementPublisher.TEXT, line)
                    .build();
            do {
                members.whenWritable().join();
            } while (!trySend(members, message));
        }
    }

    /** Returns false if the neighbor or the room is gone again. */
    private static boolean trySend(MemberView members, Message message) {
        try {
            members.groupcast(LINES, message);
            return true;
        } catch (ParleyException e) {
            if (e.code() == ErrorCode.QUEUE_FULL || e.code() == ErrorCode.UNREACHABLE) {
                return false;
            }
            throw e;
        }
    }
}
