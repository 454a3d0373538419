package io.parley.examples;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.examples.console.Console;
import io.parley.examples.console.Futures;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.conversation.ConversationServer;
import io.parley.examples.netcat.Netcat;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Connects the standard input and output to those of another peer: the waiting peer. */
@Command(
        name = "listen",
        description = {
            "Wait for one \"parley connect\", like netcat.",
            "Sends the standard input to that peer, and prints what that peer sends. Prints the ticket for"
                    + " \"parley connect\" on the standard error. Ends when both inputs have ended."
        },
        mixinStandardHelpOptions = true)
final class ListenCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private HostOptions host = new HostOptions();

    @Option(
            names = "--pipe",
            paramLabel = "NAME",
            description = "Name of the pipe. Other peers can connect by this name, without a ticket."
                    + " Default: none, other peers need the ticket")
    private @Nullable String pipe;

    @Mixin
    private PeerNameOption peerName = new PeerNameOption();

    @Mixin
    private GroupOption group = new GroupOption();

    @Override
    public Integer call() throws Exception {
        Console console = common.console();
        CompletableFuture<Void> done = new CompletableFuture<>();
        try (Peer peer = ShutdownSignal.closing(isNamed() ? host.startDiscoverable(peerName.orEmpty()) : host.start());
                ConversationServer server = server(peer, (conversation, hello) -> serve(console, conversation, done))) {
            announce(console, server.ticket().toString());
            await(done);
        }
        return 0;
    }

    private ConversationServer server(Peer peer, ConversationServer.Handler handler) {
        return isNamed()
                ? new ConversationServer(peer, group.join(peer), pipe, Netcat.TOPIC, 1, handler)
                : new ConversationServer(peer, PipeId.random(GroupId.NET), Netcat.TOPIC, 1, handler);
    }

    /** Returns whether the other peer can connect by a name, and not only with the ticket. */
    private boolean isNamed() {
        return pipe != null || peerName.name() != null;
    }

    /** Prints on the standard error in both forms, because the standard output carries the data of the other peer. */
    private void announce(Console console, String ticket) {
        String name = pipe == null ? peerName.name() : pipe;
        console.remarkStream()
                .println(
                        console.isJson()
                                ? JsonObject.object()
                                        .add("event", "ready")
                                        .add("ticket", ticket)
                                        .toString()
                                : "Waiting. On the other machine, run:\n\n  parley connect " + ticket + "\n"
                                        + (name == null
                                                ? ""
                                                : "  or\n  parley connect " + TextFormatter.oneLine(name) + "\n"));
        console.remarkStream().flush();
    }

    private static void serve(Console console, Conversation conversation, CompletableFuture<Void> done)
            throws InterruptedException {
        if (done.isDone()) {
            throw ErrorCode.NO_SUCH_SERVICE.exception("this command serves one peer, and another peer was first");
        }
        console.remark("Connected to " + conversation.other() + ".");
        try {
            Netcat netcat = new Netcat(
                    conversation, new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out));
            netcat.run();
            conversation.close(); // before the process ends
            done.complete(null);
        } catch (IOException e) {
            done.completeExceptionally(e);
            throw ErrorCode.DISCONNECTED.exception("the other peer cannot read or write its data", e);
        } catch (RuntimeException | InterruptedException e) {
            done.completeExceptionally(e);
            throw e;
        }
    }

    private static void await(CompletableFuture<Void> done) throws Exception {
        try {
            done.get();
        } catch (ExecutionException e) {
            throw Futures.unwrap(e) instanceof Exception failure ? failure : e;
        }
    }
}
