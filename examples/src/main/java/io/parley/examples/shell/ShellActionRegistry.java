package io.parley.examples.shell;

import io.parley.discovery.DiscoveryQuery;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.search.AdvertisementKinds;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What can be typed, but for {@code help} and {@code exit}. */
final class ShellActionRegistry {

    private final ShellSession session;

    ShellActionRegistry(ShellSession session) {
        this.session = session;
    }

    List<ShellAction> all() {
        return List.of(
                new ShellAction(
                        "peers",
                        "[PATTERN]",
                        "peers in this group; a * stands for any letters",
                        0,
                        1,
                        words -> find(here(), "peers", words)),
                new ShellAction(
                        "pipes",
                        "[PATTERN]",
                        "pipes that are published in this group",
                        0,
                        1,
                        words -> find(here(), "pipes", words)),
                new ShellAction(
                        "groups",
                        "[PATTERN]",
                        "groups that somebody is in",
                        0,
                        1,
                        words -> find(session.peer().netGroup(), "groups", words)),
                new ShellAction(
                        "search",
                        "TYPE [ATTRIBUTE PATTERN]",
                        "any advertisements in this group, such as: search jxta:PA Name a*",
                        1,
                        3,
                        this::search),
                new ShellAction(
                        "join", "GROUP", "go to a group, which exists as soon as somebody is in it", 1, 1, this::join),
                new ShellAction("leave", "", "leave this group", 0, 0, words -> leave()),
                new ShellAction(
                        "publish",
                        "PIPE|FILE",
                        "open a pipe of that name and print what comes; or publish an XML document",
                        1,
                        1,
                        words -> publish(words.get(0))),
                new ShellAction(
                        "talk",
                        "PIPE|PEER [TEXT]",
                        "send a line to a pipe, or to the shell of a peer, by name or id; without TEXT all lines up to /end",
                        1,
                        Integer.MAX_VALUE,
                        this::talk),
                new ShellAction("status", "", "what this peer knows at the moment", 0, 0, words -> status()));
    }

    private PeerGroup here() {
        return session.place().group();
    }

    private void find(PeerGroup group, String what, List<String> words) throws InterruptedException {
        find(group, AdvertisementKinds.query(what, AdvertisementKinds.NAME, words.isEmpty() ? null : words.get(0)));
    }

    private void search(List<String> words) throws InterruptedException {
        if (words.size() == 2) {
            throw new CommandFailedException("A PATTERN is missing. Type: search TYPE ATTRIBUTE PATTERN");
        }
        @Nullable String pattern = words.size() < 3 ? null : words.get(2);
        find(
                here(),
                AdvertisementKinds.query(
                        words.get(0), words.size() < 3 ? AdvertisementKinds.NAME : words.get(1), pattern));
    }

    private void find(PeerGroup group, DiscoveryQuery query) throws InterruptedException {
        int count = session.find(group, query);
        session.console().print(count == 0 ? "Nothing was found." : count + " found.");
    }

    private void join(List<String> words) {
        session.join(words.get(0));
        session.console().print("You are in the group " + TextFormatter.oneLine(words.get(0)) + ".");
    }

    private void leave() {
        String left = TextFormatter.oneLine(here().name());
        if (!session.leave()) {
            throw new CommandFailedException("Every peer is in this group: there is nothing to leave. \"exit\" ends.");
        }
        session.console().print("You have left the group " + left + ".");
    }

    private void publish(String what) throws IOException {
        Path file = Path.of(what);
        if (Files.isRegularFile(file)) {
            session.place().publishing().document(file);
        } else {
            session.place().publishing().pipe(what);
        }
    }

    private void talk(List<String> words) {
        LineSender talk = LineSender.to(session.place(), words.get(0));
        if (words.size() == 1) {
            session.talk(talk);
            session.console().print("Every line goes to " + talk.name() + " now. /end ends that.");
            return;
        }
        try (talk) {
            talk.say(String.join(" ", words.subList(1, words.size())));
            session.console().print("Sent to " + talk.name() + ".");
        }
    }

    private void status() {
        Console console = session.console();
        String groups = session.peer().groups().stream()
                .map(group -> TextFormatter.oneLine(group.name()))
                .collect(Collectors.joining(", "));
        String addresses = session.peer().address().addresses().stream()
                .map(EndpointAddress::toString)
                .collect(Collectors.joining(", "));
        String rendezvous = ids(session.peer().rendezvous().rendezvous());
        String connected = ids(session.peer().endpoint().connectedPeers());
        console.result(
                JsonObject.object()
                        .add("peer", session.peer().id().text())
                        .add("name", session.peer().name())
                        .add("addresses", addresses)
                        .add("groups", groups)
                        .add("rendezvous", rendezvous)
                        .add("connected", connected),
                "This peer   " + session.peer().name() + "  " + session.peer().id() + "\nListens at  " + addresses
                        + "\nGroups      " + (groups.isEmpty() ? "none joined" : groups) + "\nRendezvous  "
                        + (rendezvous.isEmpty() ? "none" : rendezvous) + "\nConnected   "
                        + (connected.isEmpty() ? "to nobody" : connected));
    }

    private static String ids(java.util.Set<PeerId> peers) {
        return peers.stream().map(PeerId::text).collect(Collectors.joining(", "));
    }
}
