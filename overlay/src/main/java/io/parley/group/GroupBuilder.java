package io.parley.group;

/** Builds the membership of a group. An open group needs only its name. Not thread-safe. */
public interface GroupBuilder {

    /**
     * Joins the group, and publishes it in the net group so that other peers find it. A group exists from the time that the
     * first peer joins it. If this peer is a member already, the same group is returned.
     *
     * @throws IllegalArgumentException if the name is empty, longer than 256 characters, or not well-formed Unicode, or has white
     *     space at an end
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#CLOSED};
     *     {@link io.parley.error.ErrorCode#BUSY} if the peer is leaving the group;
     *     {@link io.parley.error.ErrorCode#LOCAL_LIMIT} if the peer is in as many groups as a lease has room for
     */
    PeerGroup join();
}
