package io.parley.pipes.internal;

import io.parley.discovery.SearchReport;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Explains why no holder of a pipe was found: the peers that were queried, the failures, and the remedy. */
final class PipeNotFoundReason {

    private static final int MAX_FAILURES = 3;

    private PipeNotFoundReason() {}

    /**
     * Returns the most specific explanation, without a period.
     *
     * @param failures the reasons of the holders that were found and could not be bound
     * @param members  other members of the group that were found
     * @param report   the report of the last search for holders; {@code null} if there was none
     */
    static String of(
            PeerGroup group,
            Map<PeerId, ParleyException> failures,
            Set<PeerId> members,
            @Nullable SearchReport report) {
        if (!failures.isEmpty()) {
            return failures.values().stream()
                    .limit(MAX_FAILURES)
                    .map(failure -> String.valueOf(failure.getMessage()))
                    .collect(Collectors.joining("; "));
        }
        if (report == null) {
            return "no search was started";
        }
        RendezvousStatus rendezvous = group.rendezvous().status();
        boolean rendezvousResponded = report.rendezvousFailure() == null;
        if (!rendezvousResponded && !rendezvous.seeds().isEmpty()) {
            return noRendezvous(report, rendezvous);
        }
        if (!rendezvousResponded && !report.localNetworkQueried()) {
            return "no peer was queried, because this peer has neither a rendezvous nor a multicast transport; pass an address"
                    + " to PeerBuilder.rendezvous, or add the artifact io.parley:parley-transport-udp to the class path";
        }
        String queried = "queried " + sources(report, rendezvousResponded);
        if (members.isEmpty()) {
            return queried + "; no other member of group " + group.name()
                    + " was found; check the name of the group, and that the holder has joined it";
        }
        return queried
                + "; other members of the group were found, but none has published the pipe; check the name of the"
                + " pipe, and that its holder has it open";
    }

    private static String noRendezvous(SearchReport report, RendezvousStatus rendezvous) {
        ParleyException failure = rendezvous.lastFailure();
        return "no rendezvous responded (configured: " + String.join(", ", rendezvous.seeds())
                + (failure == null ? "" : "; last failure: " + failure.getMessage()) + ")"
                + (report.localNetworkQueried() ? ", and no peer on the local network has published the pipe" : "")
                + "; check the addresses of the rendezvous and the network";
    }

    private static String sources(SearchReport report, boolean rendezvousResponded) {
        List<String> sources = new ArrayList<>();
        if (rendezvousResponded) {
            sources.add("rendezvous "
                    + report.queriedRendezvous().stream().map(PeerId::shortText).collect(Collectors.joining(", ")));
        }
        if (report.localNetworkQueried()) {
            sources.add("the local network");
        }
        return String.join(" and ", sources);
    }
}
