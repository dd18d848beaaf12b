"""Where finished runs are sent: the contract of a tracker, and what trackers share."""
