"""Who answers questions that cost, and asking a list of them: the contract of a judge, the list, and what was answered."""
