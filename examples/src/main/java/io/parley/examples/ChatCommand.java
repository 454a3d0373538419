package io.parley.examples;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.RetryableException;
import io.parley.examples.chat.ChatGuest;
import io.parley.examples.chat.ChatRoom;
import io.parley.examples.chat.ChatScreen;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.lobby.Lobby;
import io.parley.examples.lobby.RoomPresence;
import io.parley.group.PeerGroup;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.pipes.PipeTicket;
import java.io.IOException;
import java.time.Duration;
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
            "Enter a chat room by its name, or host one.",
            "With a name: meet whoever else is in the room of that name, on the local network or known to a --rendezvous;",
            "nobody hosts it, and it goes on as long as anybody is there. With --with: the room in which somebody is. Without",
            "either: host a room and print the ticket for it. With a ticket: join that room; when its host leaves, the chat is",
            "over. Everybody sees what everybody types. /quit or the end of the input leaves."
        },
        mixinStandardHelpOptions = true)
final class ChatCommand implements Callable<Integer> {

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private HostOptions host = new HostOptions();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "What the others call you, and by which they find you. Default: ${DEFAULT-VALUE}",
            defaultValue = "${sys:user.name}")
    private String name = "";

    @Option(names = "--stay", description = "Keep the room that is hosted open when the standard input has ended.")
    private boolean stay;

    @Option(
            names = {"-g", "--group"},
            paramLabel = "NAME",
            defaultValue = Lobby.GROUP,
            description = "In which group the room of that name is. Default: ${DEFAULT-VALUE}")
    private String group = Lobby.GROUP;

    @Option(
            names = "--with",
            paramLabel = "PEER",
            description = "Go to the room in which the peer of that name is; its id will do as well.")
    private @Nullable String with;

    @Parameters(
            paramLabel = "ROOM|TICKET",
            arity = "0..1",
            description = "The room's name, or what its host has got; without it a room is hosted.")
    private @Nullable String room;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Console console = common.console();
        if (with != null) {
            requireNoRoom();
            follow(console, with);
        } else if (room == null) {
            open(console);
        } else if (GuestOptions.isTicket(room)) {
            join(console, GuestOptions.ticket(room));
        } else {
            enter(console, room);
        }
        return 0;
    }

    private void open(Console console) throws IOException, InterruptedException {
        try (Peer peer = host.start();
                ChatScreen screen = ChatScreen.of(console)) {
            ChatRoom room = new ChatRoom(peer, PipeId.random(GroupId.NET), name, screen);
            String text = room.ticket().toString();
            console.result(
                    JsonObject.object().add("ticket", text),
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

    private void requireNoRoom() {
        if (room != null) {
            throw new CommandFailedException(
                    "Both a room and --with are given. Leave out one of them: whoever is with a peer is in its room.");
        }
    }

    private void follow(Console console, String other) throws IOException, InterruptedException {
        try (ShutdownSignal ended = ShutdownSignal.start();
                Peer peer = host.startToBeFound(name)) {
            PeerGroup in = peer.group(group).join();
            String found = roomOf(peer, in, other);
            console.remark(TextFormatter.oneLine(other) + " is in the room " + TextFormatter.oneLine(found) + ".");
            enter(console, peer, in, found, ended);
        }
    }

    private String roomOf(Peer peer, PeerGroup in, String other) throws InterruptedException {
        try {
            return RoomPresence.of(peer, in, other, PATIENCE);
        } catch (RetryableException e) {
            if (e.code() != ErrorCode.UNREACHABLE) {
                throw e;
            }
            throw new CommandFailedException(
                    "No peer of the name " + TextFormatter.oneLine(other) + " that is in a room has answered within "
                            + PATIENCE.toSeconds()
                            + " s. Check the name, and that it is in a room of the same group, and on the same network or with"
                            + " the same --rendezvous.",
                    e);
        }
    }

    private void enter(Console console, String roomName) throws IOException {
        try (ShutdownSignal ended = ShutdownSignal.start();
                Peer peer = host.startToBeFound(name)) {
            enter(console, peer, peer.group(group).join(), roomName, ended);
        }
    }

    private void enter(Console console, Peer peer, PeerGroup in, String roomName, ShutdownSignal ended)
            throws IOException {
        try (ChatScreen screen = ChatScreen.of(console);
                Lobby lobby = new Lobby(in, roomName, name, screen);
                RoomPresence told = new RoomPresence(peer, in, roomName)) {
            console.remark("You are in the room " + TextFormatter.oneLine(roomName) + ". /quit leaves it.");
            lobby.run(ended.asked());
        }
    }
}
