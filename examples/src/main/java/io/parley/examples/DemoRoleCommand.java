package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.conversation.ConversationServer;
import io.parley.examples.demo.DemoProtocol;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** One of the two processes that talk in the demo: Alice without a ticket, Bob with hers. */
@Command(name = "demo-role", hidden = true, description = "A part in \"parley demo\".")
final class DemoRoleCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private HostOptions host = new HostOptions();

    @Option(names = "--guest-home")
    private @Nullable Path guestHome;

    @Parameters(arity = "0..1")
    private @Nullable String ticket;

    @Override
    public Integer call() throws Exception {
        Console console = common.console();
        if (ticket == null) {
            answer(console);
        } else {
            lead(console, ticket);
        }
        return 0;
    }

    private void answer(Console console) throws InterruptedException, ExecutionException {
        CompletableFuture<Void> done = new CompletableFuture<>();
        try (Peer peer = host.start()) {
            ConversationServer door = new ConversationServer(
                    peer,
                    PipeId.random(GroupId.NET),
                    DemoProtocol.TOPIC,
                    1,
                    (bob, hello) -> answer(console, bob, done));
            console.result(JsonObject.object().add("ticket", door.ticket().toString()), "");
            done.get();
        }
    }

    private static void answer(Console console, Conversation bob, CompletableFuture<Void> done)
            throws InterruptedException {
        try {
            console.result(JsonObject.object().add("other", bob.other().text()), "");
            DemoProtocol.answer(bob);
            // Bob leaves first, so that the end of this process takes nothing from him.
            bob.receive();
            done.complete(null);
        } catch (RuntimeException e) {
            done.completeExceptionally(e);
            throw e;
        }
    }

    private void lead(Console console, String aliceTicket) throws InterruptedException {
        GuestOptions guest = GuestOptions.of(guestHome, host.codecs());
        try (Peer peer = guest.start();
                Conversation alice =
                        guest.join(peer, GuestOptions.ticket(aliceTicket), DemoProtocol.TOPIC, Message.EMPTY)) {
            console.result(DemoProtocol.lead(alice), "");
        }
    }
}
