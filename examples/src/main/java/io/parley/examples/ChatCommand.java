package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.chat.ChatGuest;
import io.parley.examples.chat.ChatRoom;
import io.parley.examples.chat.ChatScreen;
import io.parley.examples.console.Console;
import io.parley.examples.console.Json;
import io.parley.examples.conversation.Conversation;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.pipes.PipeTicket;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A chat room, opened or joined. */
@Command(
        name = "chat",
        description = {
            "Open a chat room, or join one.",
            "Without a ticket: open a room and print the ticket for it. With one: join that room. Everybody sees what everybody types. /quit or the end of the input leaves; when the one who opened",
            "the room leaves, the chat is over."
        },
        mixinStandardHelpOptions = true)
final class ChatCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private HostOptions host = new HostOptions();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "What the others call you. Default: ${DEFAULT-VALUE}",
            defaultValue = "${sys:user.name}")
    private String name = "";

    @Option(names = "--stay", description = "Keep the room open when the standard input has ended.")
    private boolean stay;

    @Parameters(
            paramLabel = "TICKET",
            arity = "0..1",
            description = "What the one who opened the room has got; without it a room is opened.")
    private @Nullable String ticket;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Console console = common.console();
        if (ticket == null) {
            open(console);
        } else {
            join(console, GuestOptions.ticket(ticket));
        }
        return 0;
    }

    private void open(Console console) throws IOException, InterruptedException {
        try (Peer peer = host.start();
                ChatScreen screen = ChatScreen.of(console)) {
            ChatRoom room = new ChatRoom(peer, PipeId.random(GroupId.NET), name, screen);
            String text = room.ticket().toString();
            console.result(
                    Json.object().add("ticket", text),
                    "The room is open. Others join with:\n\n  parley chat " + text + "\n");
            room.run(stay);
        }
    }

    private void join(Console console, PipeTicket room) throws IOException, InterruptedException {
        GuestOptions guest = GuestOptions.of(null, host.codecs());
        try (Peer peer = guest.start();
                Conversation conversation = guest.join(peer, room, ChatRoom.TOPIC, ChatGuest.hello(name));
                ChatScreen screen = ChatScreen.of(console)) {
            console.remark("You are in the room of " + conversation.other().shortText() + ". /quit leaves it.");
            new ChatGuest(conversation, screen).run();
        }
    }
}
