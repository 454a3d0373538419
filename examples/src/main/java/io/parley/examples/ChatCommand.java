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
import io.parley.examples.console.UsageException;
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

/** Joins or hosts a chat room. */
@Command(
        name = "chat",
        description = {
            "Join a chat room by name, or host one.",
            "ROOM: join the room with that name on the local network or at a --rendezvous. It has no host and exists while a"
                    + " participant is in it.",
            "--with: join the room of another participant.",
            "Neither: host a room and print its ticket.",
            "TICKET: join that room, which ends with its host.",
            "All participants see all lines. /quit or the end of the input leaves the room."
        },
        mixinStandardHelpOptions = true)
final class ChatCommand implements Callable<Integer> {

    private static final Duration TIMEOUT = Duration.ofSeconds(15);

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private HostOptions host = new HostOptions();

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Name of this participant, by which others see and find it. " + PeerDefaults.NAME_HELP)
    private @Nullable String name;

    @Option(names = "--stay", description = "Keep the hosted room open when the standard input has ended.")
    private boolean stay;

    @Option(
            names = {"-g", "--group"},
            paramLabel = "NAME",
            defaultValue = Lobby.GROUP,
            description = "Group of the room. Default: ${DEFAULT-VALUE}")
    private String group = Lobby.GROUP;

    @Option(names = "--with", paramLabel = "PEER", description = "Name or id of a participant whose room to join.")
    private @Nullable String with;

    @Parameters(
            paramLabel = "ROOM|TICKET",
            arity = "0..1",
            description = "Name of a room, or the ticket that its host printed. Default: host a room")
    private @Nullable String room;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Console console = common.console();
        if (with != null) {
            requireNoRoom();
            joinRoomOf(console, with);
        } else if (room == null) {
            hostRoom(console);
        } else if (GuestOptions.isTicket(room)) {
            joinHostedRoom(console, GuestOptions.ticket(room));
        } else {
            joinLobby(console, room);
        }
        return 0;
    }

    private void hostRoom(Console console) throws IOException, InterruptedException {
        try (Peer peer = ShutdownSignal.closing(host.start());
                ChatScreen screen = ChatScreen.of(console)) {
            ChatRoom hosted =
                    new ChatRoom(peer, PipeId.random(GroupId.NET), PeerDefaults.nameOrDefault(name, peer.id()), screen);
            String ticket = hosted.ticket().toString();
            console.result(
                    JsonObject.object().add("event", "ready").add("ticket", ticket),
                    "The room is open. Other participants join with:\n\n  parley chat " + ticket + "\n");
            hosted.run(stay);
        }
    }

    private void joinHostedRoom(Console console, PipeTicket ticket) throws IOException, InterruptedException {
        GuestOptions guest = GuestOptions.of(null, host.codecs());
        try (Peer peer = ShutdownSignal.closing(guest.start());
                Conversation conversation = guest.join(
                        peer, ticket, ChatRoom.TOPIC, ChatGuest.hello(PeerDefaults.nameOrDefault(name, peer.id())));
                ChatScreen screen = ChatScreen.of(console)) {
            console.remark("You are in the room. /quit leaves it.");
            new ChatGuest(conversation, screen).run();
        }
    }

    private void requireNoRoom() {
        if (room != null) {
            throw new UsageException("Both a room and --with were given. Omit one of them.");
        }
    }

    private void joinRoomOf(Console console, String other) throws IOException, InterruptedException {
        try (ShutdownSignal shutdown = ShutdownSignal.start();
                Peer peer = host.startDiscoverable(name)) {
            PeerGroup joined = peer.group(group).join();
            String found = findRoomOf(peer, joined, other);
            console.remark(TextFormatter.oneLine(other) + " is in the room " + TextFormatter.oneLine(found) + ".");
            joinLobby(console, peer, joined, found, shutdown);
        }
    }

    private static String findRoomOf(Peer peer, PeerGroup joined, String other) throws InterruptedException {
        try {
            return RoomPresence.find(peer, joined, other, TIMEOUT);
        } catch (RetryableException e) {
            if (e.code() != ErrorCode.UNREACHABLE) {
                throw e;
            }
            throw new CommandFailedException(
                    "No participant with the name " + TextFormatter.oneLine(other) + " has responded within "
                            + TIMEOUT.toSeconds()
                            + " s. Check the name, and that both participants use the same group and the same network or"
                            + " --rendezvous.",
                    e);
        }
    }

    private void joinLobby(Console console, String roomName) throws IOException {
        try (ShutdownSignal shutdown = ShutdownSignal.start();
                Peer peer = host.startDiscoverable(name)) {
            joinLobby(console, peer, peer.group(group).join(), roomName, shutdown);
        }
    }

    private static void joinLobby(
            Console console, Peer peer, PeerGroup joined, String roomName, ShutdownSignal shutdown) throws IOException {
        try (ChatScreen screen = ChatScreen.of(console);
                Lobby lobby = new Lobby(joined, roomName, peer.name(), screen);
                RoomPresence presence = new RoomPresence(peer, joined, roomName)) {
            console.remark("You are in the room " + TextFormatter.oneLine(roomName) + " as " + peer.name()
                    + ". /quit leaves it.");
            lobby.run(shutdown.whenRequested());
        }
    }
}
