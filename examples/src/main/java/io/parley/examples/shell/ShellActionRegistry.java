package io.parley.examples.shell;

import io.parley.error.ParleyException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.Futures;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.search.AdvertisementKinds;
import io.parley.examples.search.PeerFinder;
import io.parley.examples.search.PeerNames;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousStatus;
import io.parley.transport.EndpointAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The commands of the shell, except {@code help} and {@code exit}. A command that also exists on the command line has the
 * same name and arguments.
 */
final class ShellActionRegistry {

    private static final String PIPE_OPTION = "--pipe";

    private final ShellSession session;
    private final Duration timeout;

    /** @param timeout the maximum time that a command waits for another peer */
    ShellActionRegistry(ShellSession session, Duration timeout) {
        this.session = session;
        this.timeout = timeout;
    }

    List<ShellAction> all() {
        return List.of(
                new ShellAction(
                        "search",
                        "[peers|pipes|groups|all|TYPE] [PATTERN] [ATTRIBUTE]",
                        "search for advertisements in this group; * in PATTERN matches any characters",
                        0,
                        3,
                        this::search),
                new ShellAction("join", "GROUP", "join a group and make it the current one", 1, 1, this::join),
                new ShellAction("leave", "", "leave the current group", 0, 0, arguments -> leave()),
                new ShellAction(
                        "publish",
                        "--pipe NAME|FILE",
                        "open a pipe and print the lines that arrive; or publish an XML document",
                        1,
                        2,
                        this::publish),
                new ShellAction(
                        "talk",
                        "PIPE|PEER [TEXT]",
                        "send a line to a pipe or to the shell of a peer; without TEXT all lines up to /end",
                        1,
                        Integer.MAX_VALUE,
                        this::talk),
                new ShellAction("ping", "PEER", "measure a round trip to a peer", 1, 1, this::ping),
                new ShellAction("status", "", "print the state of this peer", 0, 0, arguments -> status()));
    }

    private PeerGroup currentGroup() {
        return session.current().group();
    }

    private void search(List<String> arguments) throws InterruptedException {
        @Nullable String kind = arguments.isEmpty() ? null : arguments.get(0);
        @Nullable String pattern = arguments.size() < 2 ? null : arguments.get(1);
        String attribute = arguments.size() < 3 ? AdvertisementKinds.NAME : arguments.get(2);
        PeerGroup group = AdvertisementKinds.isGroups(kind) ? session.peer().netGroup() : currentGroup();
        int count = session.search(group, AdvertisementKinds.query(kind, attribute, pattern));
        session.console().print(count == 0 ? "No results." : TextFormatter.count(count, "result") + ".");
    }

    private void join(List<String> arguments) {
        session.join(arguments.get(0));
        session.console().print("Joined the group " + TextFormatter.oneLine(arguments.get(0)) + ".");
    }

    private void leave() {
        String left = TextFormatter.oneLine(currentGroup().name());
        if (!session.leave()) {
            throw new CommandFailedException(
                    "The net group contains every peer and cannot be left. \"exit\" ends the shell.");
        }
        session.console().print("Left the group " + left + ".");
    }

    private void publish(List<String> arguments) throws IOException {
        boolean isPipe = arguments.get(0).equals(PIPE_OPTION);
        if (isPipe != (arguments.size() == 2)) {
            throw new CommandFailedException("Usage: publish --pipe NAME, or: publish FILE");
        }
        if (isPipe) {
            session.current().publisher().pipe(arguments.get(1));
        } else {
            session.current().publisher().document(Path.of(arguments.get(0)));
        }
    }

    private void talk(List<String> arguments) throws InterruptedException {
        LineSender sender = LineSender.connect(currentGroup(), arguments.get(0), timeout);
        if (arguments.size() == 1) {
            session.setLineSender(sender);
            session.console().print("All lines go to " + sender.name() + " until /end.");
            return;
        }
        try (sender) {
            sender.send(String.join(" ", arguments.subList(1, arguments.size())));
            session.console().print("Sent to " + sender.name() + ".");
        }
    }

    private void ping(List<String> arguments) {
        PeerId peer = new PeerFinder(currentGroup(), arguments.get(0)).find(timeout);
        Duration trip = Futures.join(session.peer().endpoint().ping(peer));
        session.console()
                .print(TextFormatter.oneLine(arguments.get(0)) + ": time=" + TextFormatter.millis(trip) + " ms");
    }

    private void status() {
        Console console = session.console();
        String groups = session.peer().groups().stream()
                .map(group -> TextFormatter.oneLine(group.name()))
                .collect(Collectors.joining(", "));
        String addresses = session.peer().address().addresses().stream()
                .map(EndpointAddress::toString)
                .collect(Collectors.joining(", "));
        RendezvousStatus network = session.peer().rendezvous().status();
        Collection<PeerId> connected = session.peer().endpoint().connectedPeers();
        PeerNames names = new PeerNames(session.peer().netGroup());
        console.result(
                JsonObject.object()
                        .add("peer", session.peer().id().text())
                        .add("name", session.peer().name())
                        .add("addresses", addresses)
                        .add("groups", groups)
                        .add("rendezvous", ids(network.rendezvous()))
                        .add("connected", ids(connected)),
                "This peer   " + session.peer().name() + "  " + session.peer().id() + "\nListens at  " + addresses
                        + "\nGroups      " + (groups.isEmpty() ? "none joined" : groups) + "\nRendezvous  "
                        + rendezvous(network, names) + "\nConnected   "
                        + (connected.isEmpty() ? "to no peer" : "to " + names.of(connected)));
    }

    private static String rendezvous(RendezvousStatus network, PeerNames names) {
        if (!network.rendezvous().isEmpty()) {
            return names.of(network.rendezvous());
        }
        if (network.seeds().isEmpty()) {
            return "none";
        }
        ParleyException failure = network.lastFailure();
        return "connecting to " + String.join(", ", network.seeds())
                + (failure == null ? "" : "; last failure: " + TextFormatter.oneLine(failure.getMessage()));
    }

    private static String ids(Collection<PeerId> peers) {
        return peers.stream().map(PeerId::text).collect(Collectors.joining(", "));
    }
}
